"""The text around a value: where the value stands in it, and what it is wrapped in."""
