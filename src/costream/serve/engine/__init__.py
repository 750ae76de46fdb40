"""What decides and learns: the engine, which alone touches log and model, and what opens it."""
