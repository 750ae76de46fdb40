"""What the paper prints: its experiments, its tables, and where we differ from it."""
