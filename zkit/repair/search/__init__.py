"""The tolerant reader: one reading after the other, the least invasive first."""
