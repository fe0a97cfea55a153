"""A run that waits for somebody in, the same run going on elsewhere out."""
