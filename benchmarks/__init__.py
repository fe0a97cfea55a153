"""Generated tool calls and damages in, tables of right, wrong and refused (and of time) out."""
