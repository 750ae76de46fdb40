"""Which labels are positive, and how labels are written."""
