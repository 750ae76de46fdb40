"""Requests: limits, guard, endpoints and the figures about them."""
