"""The lexer, edits with the way back for places, and lines and columns."""
