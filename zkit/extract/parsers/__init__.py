"""The parsers: one for each notation of calls."""
