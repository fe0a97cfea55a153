"""What a call holds in, its name and arguments out: a reader for each notation."""
