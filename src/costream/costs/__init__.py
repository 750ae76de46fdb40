"""What decisions cost: objectives, the costs of rows, and the tally that adds them up."""
