"""What may be tried where no strict step is possible."""
