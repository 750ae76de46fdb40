"""Views: how a row is written for the members that learn it.

Each file is one view, or a family: what it keeps of earlier rows, how a row is written, scored and
learnt. Up to which width a view takes part stands in `layout`. A feature that is absent is 0 in all of
them.
"""
