"""The command line: text in, text out, one command a file."""
