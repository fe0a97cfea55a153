"""Benchmarks: generated tool calls, damage, and tables of right, wrong and refused results, and of time."""
