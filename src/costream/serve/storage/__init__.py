"""The directory of a service: its log, snapshots and records."""
