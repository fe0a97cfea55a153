"""A mark in the text in, what it opens out: a module for each kind of mark."""
