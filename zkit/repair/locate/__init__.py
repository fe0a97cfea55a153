"""Find the value in a text and the text around it."""
