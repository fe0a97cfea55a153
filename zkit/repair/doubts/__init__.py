"""A repair in, what speaks against it out."""
