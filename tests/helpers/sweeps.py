"""Small sweeps of sizes, planned and measured."""

from costream.lab.timing import Sweep

TINY = [
    Sweep("acog-ii", {}, "d", (4, 8), {"s": 2}, "O(d^2)", "O(d^2)", 2, 1e-4),
    Sweep("acog-ii-diag", {}, "s", (1, 2, 4), {"d": 8}, "O(d)", "O(s)", 1, 1e-4),
    Sweep("sacog-ii", {"k": 1}, "d", (6, 12), {"s": 2, "m": 3}, "O(m^2 d)", "O(m^2 d)", 1, 1e-4),
    Sweep("ssacog-ii", {"k": "m"}, "m", (1, 3), {"d": 8, "s": 2}, "O(m^2 + m s)", "", 2, 1e-4),
]
