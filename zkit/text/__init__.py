"""Characters in, places out: edits, lines and columns, and where strings end."""
