"""What decisions cost: objectives, the costs of rows, and the tally that adds them up."""

from .tally import Costs, Tally

__all__ = ["Costs", "Tally"]
