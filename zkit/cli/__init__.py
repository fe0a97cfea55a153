"""The command line: one command a file, listed in `commands`."""
