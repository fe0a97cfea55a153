"""The text around a call in, whether the call is made there out."""
