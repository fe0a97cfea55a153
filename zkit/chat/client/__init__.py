"""The user's own client in, the same client with calls that can be trusted out."""
