"""``costream replay`` and ``costream serve backup``, ``compact``, ``clock``, ``relearn``."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from ..costs.tally import Costs
from ..learners import Learner
from ..report.numbers import counted
from ..report.tables import metrics_table
from ..serve.engine.maintenance import backup, compact, relearn
from ..serve.engine.replay import learner_of, total_costs
from ..serve.engine.timekeeping import accept, set_back, times_of
from ..serve.engine.verify import Checked, check
from ..serve.http.logs import log_command
from ..serve.settings import seconds_of
from ..serve.times import iso
from . import BAD_INPUT, UsageError
from .options import ModelOptions
from .terminal import Progress, notify, print_json


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
            return self._costs()
        if self.learners or self.settings:
            raise UsageError(
                "--check is about the model of the service\nhint: leave out --learner and --set"
            )
        return self._check()

    def _costs(self) -> int:
        learners = self._learners()
        with Progress("replaying", None) as progress:
            found = total_costs(
                self.directory, learners, lambda done, total: progress.to(done, total=total)
            )
        rows = [(one.name, {**one.tally.metrics(Costs()), "seconds": one.seconds}) for one in found]
        tally = found[0].tally
        if self.as_json:
            result = {"events": tally.rows, "positives": tally.positives, "players": dict(rows)}
            print_json(result)
        else:
            print(f"{counted(tally.rows, 'event')} with a label, {tally.positives:,} positive")
            print(metrics_table(rows))
        for one in found:
            if one.refused:
                notify(f"{one.name}: {counted(one.refused, 'event or label')} could not be used")
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
            print_json(vars(found))
        else:
            self._print_check(found)
        if found.compacted:
            notify(
                f"{counted(found.compacted, 'decision')} from before a compaction: not made again, "
                "but the records are unchanged"
            )
        if found.elsewhere:
            notify(
                f"{counted(found.elsewhere, 'decision')} of another release or machine: not checked, "
                "since rounding may differ there"
            )
        for one in found.examples:
            notify(f"differs: {one}")
        return BAD_INPUT if found.differences or not found.records else 0

    @staticmethod
    def _print_check(found: Checked) -> None:
        what = (
            f"{counted(found.decisions, 'decision')} made again, "
            f"{counted(found.labels, 'label')} learnt again, "
            f"{counted(found.snapshots, 'snapshot')} compared, "
            f"{counted(found.records, 'record')} and the costs checked"
        )
        same = not found.differences
        print(f"{what}: {'bit-identical' if same else counted(found.differences, 'difference')}")


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let signals that end the process end it as Ctrl-C does: what was begun is removed first."""

    def end(which: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + which)

    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {which: signal.signal(which, end) for which in signals}
    try:
        yield
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)


def run_backup(directory: Path, target: Path) -> int:
    """Copy the log of a service."""
    with _ended_in_order(), Progress("copying", None) as progress:
        found = backup(directory, target, lambda done, total: progress.to(done, total=total))
    log_command("backup", dir=directory, to=target, events=found.events, labels=found.labels)
    print(
        f"{target}: {counted(found.events, 'event')}, {counted(found.labels, 'label')}, "
        f"{found.size / 1e6:.1f} MB"
    )
    return 0


def run_clock(directory: Path, accepts: bool, sets_back: bool) -> int:
    """Print the time of a directory and of the clock, and correct it where that is asked for."""
    done = accept(directory) if accepts else set_back(directory) if sets_back else times_of(directory)
    if accepts or sets_back:
        given = {"last": iso(done.last / 1000), "clock": iso(done.system / 1000)}
        log_command("clock accept" if accepts else "clock set-back", dir=directory, **given)
    print(f"last record: {iso(done.last / 1000)}")
    print(f"clock:       {iso(done.system / 1000)}")
    if accepts:
        print("the clock is accepted: events expire by it")
    elif sets_back:
        print("time goes on from the clock; events received after it count as received now")
    elif done.stands_still:
        print("time stands still until the clock has caught up")
        notify(
            "hint: if the clock is right, stop the service and run costream serve clock DIR --set-back"
        )
    elif done.is_in_doubt:
        print("nothing expires until the clock has been steady for 10 minutes")
        notify("hint: if it is right, stop the service and run costream serve clock DIR --accept")
    else:
        print("they agree")
    return 0


def run_compact(directory: Path, keep: str) -> int:
    """Compact the log of a service."""
    found = compact(directory, seconds_of(keep))
    log_command("compact", dir=directory, keep=keep, removed=found.removed, kept=found.kept)
    print(
        f"{directory}: {counted(found.removed, 'event')} removed, {found.kept:,} kept, "
        f"{found.size_before / 1e6:.1f} MB before, {found.size / 1e6:.1f} MB now"
    )
    if not found.shrunk:
        notify(
            "the file could not be made smaller, perhaps because the disk is full; its "
            "free space will be used again"
        )
    return 0


def run_relearn(directory: Path, accept_removed: bool) -> int:
    """Learn all records of a service again."""
    with Progress("learning", None) as progress:
        found = relearn(directory, accept_removed, lambda done, total: progress.to(done, total=total))
    log_command("relearn", dir=directory, revision=found.revision, labels=found.labels)
    was = "" if found.before == found.revision else f", it was revision {found.before}"
    print(
        f"{directory}: {counted(found.labels, 'label')} learnt again with revision {found.revision} of "
        f"{found.learner}{was}; {counted(found.decisions, 'decision')} as recorded"
    )
    if found.removed:
        notify(f"{counted(found.removed, 'label')} removed by compactions: not learnt")
    if found.refused:
        notify(f"{counted(found.refused, 'label')} could not be learnt")
    return 0
