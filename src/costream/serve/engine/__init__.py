"""What decides and learns: one owner of log and model, and what opens, checks and replays it."""
