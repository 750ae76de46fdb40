"""What decisions have saved, in words."""

from __future__ import annotations

from .numbers import cost_text, percent


def saved_sentences(cost: float, saved: float, savings: float, policy: str) -> str:
    """What decisions cost, what the better constant policy costs, and the difference.

    >>> print(saved_sentences(60.0, 40.0, 0.5, "flagging no row"))
    The decisions cost 60.0; flagging no row, the better constant policy, costs 100.0.
    They save 40.0, which is 50.0% of what perfect decisions would save.
    >>> print(saved_sentences(120.0, -20.0, -0.25, "flagging no row"))
    The decisions cost 120.0; flagging no row, the better constant policy, costs 100.0.
    They lose 20.0 against it.
    """
    own, constant = cost_text(cost, plain=True), cost_text(cost + saved, plain=True)
    text = f"The decisions cost {own}; {policy}, the better constant policy, costs {constant}."
    if saved < 0.0:
        return f"{text}\nThey lose {cost_text(-saved, plain=True)} against it."
    share = percent(savings, unit="%", plain=True)
    part = f", which is {share} of what perfect decisions would save" if savings == savings else ""
    return f"{text}\nThey save {cost_text(saved, plain=True)}{part}."
