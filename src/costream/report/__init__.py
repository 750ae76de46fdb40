"""Numbers as text, tables, charts and pages: how the command line and the lab show results."""
