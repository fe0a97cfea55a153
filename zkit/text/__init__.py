"""Places in a text: edits, lines and columns, comments, and where strings end."""
