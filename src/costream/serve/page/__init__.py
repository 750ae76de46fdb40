"""The page of the service at `/`: what the bill is, what it would have been, and the latest flags."""
