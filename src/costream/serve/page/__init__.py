"""The page of the service at `/`: what decisions cost, and would have cost, and the latest flags."""
