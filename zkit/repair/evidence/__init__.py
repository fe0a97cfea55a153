"""Evidence from the text: where a string ends, what an escape meant, what the layout shows."""
