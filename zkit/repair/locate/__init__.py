"""Where the value is in a text, and what surrounds it."""
