"""Coverage-guided fuzzers over everything that reads what a model, a tool or a server wrote.

`python -m fuzz --seconds 600` runs every target in turn, each in a process of its own; `make fuzz`
does the same. What fails is saved under `corpus/fuzz-found/` as a file that names the target.
"""
