"""A conversation and tools in, a request that this server and model take out."""
