"""``costream replay``, ``costream serve backup`` and ``compact``: what can be done with a log."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from ..evaluate.tally import Costs
from ..learners import Learner
from ..report.numbers import counted, finite
from ..report.tables import metrics_table
from ..serve.maintenance import backup, compact
from ..serve.replay import bills, learner_of
from ..serve.settings import seconds_of
from ..serve.verify import check
from . import BAD_INPUT, UsageError
from .options import ModelOptions
from .terminal import Progress, say


@dataclass(frozen=True)
class Replay:
    """One run of the command."""

    directory: Path
    learners: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    check: bool = False
    as_json: bool = False

    def run(self) -> int:
        if not self.check:
            return self._bills()
        if self.learners or self.settings:
            raise UsageError("--check is about the model of the service\nhint: leave out --learner")
        return self._check()

    def _bills(self) -> int:
        learners = self._learners()
        with Progress("replaying", None) as progress:
            found = bills(self.directory, learners, lambda done, total: progress.to(done, total=total))
        rows = [(one.name, {**one.tally.metrics(Costs()), "seconds": one.seconds}) for one in found]
        tally = found[0].tally
        if self.as_json:
            result = {"events": tally.rows, "positives": tally.positives, "players": dict(rows)}
            json.dump(finite(result), sys.stdout, indent=2, allow_nan=False)
            print()
        else:
            print(f"{counted(tally.rows, 'event')} with a label, {tally.positives:,} positive")
            print(metrics_table(rows))
        for one in found:
            if one.refused:
                say(f"{one.name}: {counted(one.refused, 'event or label')} could not be taken")
        return 0

    def _learners(self) -> list[Learner]:
        """Those that are named; else that of the service, which begins with nothing."""
        if not self.learners and not self.settings:
            return [learner_of(self.directory)]
        names = self.learners or (learner_of(self.directory).name,)
        return [ModelOptions(learner=name, settings=self.settings).make_learner() for name in names]

    def _check(self) -> int:
        with Progress("checking", None) as progress:
            found = check(self.directory, lambda done, total: progress.to(done, total=total))
        if self.as_json:
            json.dump(vars(found), sys.stdout, indent=2)
            print()
        else:
            self._tell(found.decisions, found.labels, found.snapshots, found.differences)
        if found.compacted:
            say(f"{counted(found.compacted, 'decision')} from before a compaction: not checked")
        if found.elsewhere:
            say(
                f"{counted(found.elsewhere, 'decision')} of another release or machine: not checked, "
                "since other bits are possible there"
            )
        for one in found.examples:
            say(f"differs: {one}")
        return BAD_INPUT if found.differences or not (found.decisions or found.labels) else 0

    @staticmethod
    def _tell(decisions: int, labels: int, snapshots: int, differences: int) -> None:
        if not (decisions or labels):
            print("nothing could be checked")
            return
        what = (
            f"{counted(decisions, 'decision')} made again, {counted(labels, 'label')} learnt again, "
            f"{counted(snapshots, 'snapshot')} compared"
        )
        print(f"{what}: {counted(differences, 'difference') if differences else 'the same bits'}")


def run_backup(directory: Path, target: Path) -> int:
    """Copy the log of a service."""
    with Progress("copying", None) as progress:
        found = backup(directory, target, lambda done, total: progress.to(done, total=total))
    print(
        f"{target}: {counted(found.events, 'event')}, {counted(found.labels, 'label')}, "
        f"{found.size / 1e6:.1f} MB"
    )
    return 0


def run_compact(directory: Path, keep: str) -> int:
    """Compact the log of a service."""
    found = compact(directory, seconds_of(keep))
    print(
        f"{directory}: {counted(found.removed, 'event')} removed, {found.kept:,} kept, "
        f"{found.size_before / 1e6:.1f} MB before, {found.size / 1e6:.1f} MB now"
    )
    if not found.shrunk:
        say(
            "the file could not be made smaller, perhaps since the disk is full; its room is used again"
        )
    return 0
