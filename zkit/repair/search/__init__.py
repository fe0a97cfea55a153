"""The tolerant reader: a search over hypotheses, the least invasive first."""
