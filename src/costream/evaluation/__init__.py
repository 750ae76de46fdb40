"""Prequential evaluation: what a learner would have cost, had it decided on every row."""
