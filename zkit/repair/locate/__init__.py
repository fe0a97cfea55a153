"""Find the value in a text and the wrappers around it."""
