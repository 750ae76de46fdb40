"""Tables as sparse rows: what each column holds, and how its values are read."""
