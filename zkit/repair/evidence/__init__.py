"""Where a string ends, what an escape meant, what the layout shows."""
