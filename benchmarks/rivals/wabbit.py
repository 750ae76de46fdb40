"""Vowpal Wabbit, from a text file to predictions."""

from __future__ import annotations

import os
import time

import numpy as np

from .base import Order, Played, Rival, Setting, Task, Unit, combined

RATES = (0.01, 0.05, 0.1, 0.5, 1, 2, 5)  # every second one where data are large
PENALTIES = (1e-6, 1e-5, 1e-4, 1e-3)


class Wabbit(Rival):
    """Adaptive updates at seven rates, and ``--coin``; then ``--l2`` at the three best."""

    name = "vw"

    def settings(self, task: Task, metric: str) -> list[Setting]:
        rates = RATES[3::2] if task.quick else RATES[1::2] if task.large else RATES
        steps = [*(f"-l {rate}" for rate in rates), "--coin"]
        kinds = ("L2", "raw", "standardised") if task.narrow else ("L2", "raw")
        return combined("vw", rows=kinds, loss=("hinge", "logistic"), step=steps)

    def more(self, task: Task, best: list[Setting]) -> list[Setting]:
        penalties = PENALTIES[1:2] if task.quick else PENALTIES
        return [
            Setting("vw", "vw", (*one.params[:-1], ("step", f"{one['step']} --l2 {penalty:g}")))
            for one in (best[:1] if task.large else best)
            if one["step"] != "--coin"  # which has no such penalty: its predictions stay the same
            for penalty in penalties
        ]

    def play(self, order: Order, unit: Unit) -> list[Played]:
        """Progressive validation: each prediction is made before its row is learnt."""
        from vowpalwabbit import Workspace

        ((metric, setting),) = unit
        path = order.text(setting["rows"])
        out = f"{path}.scores"
        bits = max(18, order.data.width.bit_length() + 2)
        options = ["--quiet", "-b", str(bits), "--loss_function", setting["loss"]]
        options += ["--classweight", f"1:{order.rho(metric):.8g}", *setting["step"].split()]
        begin = time.process_time()
        Workspace(arg_list=[*options, "-d", str(path), "-p", out]).finish()
        seconds = time.process_time() - begin
        scores = np.fromfile(out, sep="\n")
        os.remove(out)
        if len(scores) != len(order.data) or np.isnan(scores).any():
            raise RuntimeError(
                f"{order.task.name}: Vowpal Wabbit with {setting} did not score every row"
            )
        # The text of standardised rows is ready, so what standardising takes is added.
        return [Played(scores, seconds + order.seconds[setting["rows"]])]
