"""What a server sent in, what the model said and sound calls out."""
