"""The tools in, what to look for in a text out."""
