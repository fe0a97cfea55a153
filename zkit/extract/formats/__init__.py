"""The formats as records: adding one is adding a record."""
