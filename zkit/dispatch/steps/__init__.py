"""The steps of the chain, a module each: a call and the next step in, a result out."""
