"""The engine: it alone touches log and model, and takes jobs in groups.

``begin`` looks ids up, decides, and writes the records of a group; ``commit`` puts them on disk;
``finish`` learns the labels and fills in the answers. Nothing is learnt or answered before the commit.
There are no threads here: whoever drives the engine calls these in their order, and may call ``commit``
from another thread meanwhile. The methods that read may be called from any thread.
"""

from __future__ import annotations

import logging
import math
import sqlite3
import time
from collections.abc import Sequence

import msgspec

from ...errors import CostreamError
from ...report.numbers import counted
from ..messages import Event, Problem, decode, encode
from ..storage.corrections import CLOCK, Unresolved
from ..storage.log import reached
from ..storage.records import EventRecord
from ..times import hour_of
from .fit import Unfit, names_left_out, warnings_of
from .jobs import (
    ExpireJob,
    Group,
    GroupExample,
    Job,
    LabelJob,
    Scored,
    ScoreJob,
    answer_of,
    check_costs,
    check_id,
    is_same,
    refusal,
    width_of,
)
from .labelling import Labelling
from .names import NONE, like, without
from .served_model import BAD_ROW, Decision
from .upkeep import Upkeep, log_no_snapshot

logger = logging.getLogger("costream.serve")
TOGETHER, SEVERAL = 128, 32  # events that are decided together, at most and at least
LARGE = 64 << 10  # bytes of events to be learnt that would keep all others waiting
WIDEST_EXPLAINED = 200  # features: reasons of wider events would keep all others waiting


class Engine(Labelling, Upkeep):
    """Log and model of a directory; `recovery.open_engine` makes one."""

    # --- a group --------------------------------------------------------------------------------

    def run(self, jobs: Sequence[Job]) -> None:
        self.begin(jobs)
        self.commit()
        self.finish()

    @property
    def holds_directory(self) -> bool:
        """Whether the directory is still where it was, with its lock."""
        return self._lock.is_held

    def begin(self, jobs: Sequence[Job], seconds: float = math.inf, probe: bool = False) -> None:
        """Decide and write the records of a group of jobs, in a transaction that is not committed.

        Jobs get their results here, but these must not be given away before `finish`. Rows that come
        after some seconds, or after too much to be learnt, are left for a later group. With ``probe``
        something is written in any case, to learn whether there is room.
        """
        group = Group(jobs, self.clock.now(), time.perf_counter() + seconds)
        for job in jobs:
            del job.results[job.done :]  # of a group that was taken back
            if isinstance(job, LabelJob):
                del job.records[job.done :]
        try:
            self.log.begin()
            if probe:
                self.log.probe()
            if self.clock.steps:
                self._record_clock(group.now)
            if self._rejected:
                self._write_rejected()
            self._take_events(group)
            labelled = [job for job in jobs if isinstance(job, LabelJob)]
            if labelled or (self.unmatched and group.events):
                self._take_labels(group, labelled)
            for job in jobs:
                if isinstance(job, ExpireJob):
                    self._expire(group, job)
            self._write(group)
        except sqlite3.Error as error:
            self._take_back(error)
        except BaseException:
            self.log.rollback()
            raise
        self._group = group

    def commit(self) -> None:
        reached("before commit")
        start = time.perf_counter()
        try:
            self.log.commit()
        except sqlite3.Error as error:
            self._group = None
            self._take_back(error)
        self.last_commit = time.perf_counter() - start
        if self.clock.steps:
            self.clock.steps.clear()
            self.log.correct()
            self._unresolved = Unresolved.of(self.log.operations(*CLOCK))
        if self._group is not None and self._group.unmatched_expired:
            self.unmatched_expired += self._group.unmatched_expired
            many = counted(self._group.unmatched_expired, "label")
            logger.warning("%s dropped: no event came in time", many)
        reached("after commit")

    def takes_long(self) -> bool:
        """Whether to learn the group that was committed beside the event loop.

        It is large, or makes the model learn all of its labels, or look at all that it knows, again.
        """
        group = self._group
        if group is None or not group.examples:
            return False
        return group.size > LARGE or self.served.is_about_to_look_back(len(group.examples))

    def finish(self) -> None:
        """Learn the labels of the group that was committed, and complete its answers."""
        group, self._group = self._group, None
        assert group is not None
        self._rejected = {}
        if group.names or group.left_out:
            self.names.keep(group.names, group.left_out)
        self.last_event += len(group.events)
        self.last_label += len(group.labels)
        self.events += len(group.events)
        self.labels += len(group.labels)
        self.pending += len(group.events) - len(group.resolved)
        self.unmatched += group.unmatched
        self.groups += 1
        self.last_group = sum(job.rows for job in group.jobs)
        for unfit in group.unfit:
            self.unfit.add(*unfit)
        self.latest_flags.extend(one for one in group.events if one.flag)
        self._is_behind = True
        self._learn(group.examples)
        self._is_behind = False
        for answer in group.answers:
            answer.learnt = self.served.learnt
        for job in group.jobs:
            job.done = len(job.results)
        reached("before answer")

    def _learn(self, examples: list[GroupExample]) -> None:
        """Learn examples in the order of the log, and reject those that cannot be learnt."""
        if not examples:
            return
        refused = self.served.learn([one.example for one in examples])
        self.served.look_again()
        reached("after learn")
        for t, why in refused.items():
            answer = examples[t].answer
            if answer is not None:
                answer.status = "rejected"
                answer.detail = f"recorded, but the model could not learn it: {why}"
        if refused:
            self.reject({examples[t].seq: why for t, why in refused.items()})

    # --- events ---------------------------------------------------------------------------------

    def _take_events(self, group: Group) -> None:
        jobs = [job for job in group.jobs if isinstance(job, ScoreJob)]
        ids = list({event.id for job in jobs for event in job.events[job.done :]})
        known = self.log.events_of(ids) if ids else {}
        rows = [(job, event) for job in jobs for event in job.events[job.done :]]
        for begin in range(0, len(rows), TOGETHER):
            part = rows[begin : begin + TOGETHER]
            if group.events and time.perf_counter() > group.end:
                break
            decisions = self._decided(part, known) if len(part) >= SEVERAL else {}
            for job, event in part:
                if group.events and time.perf_counter() > group.end:
                    break
                decision = decisions.get(id(event))
                job.results.append(self._event(group, event, job.reasons, known, decision))
        if group.events:
            self.log.add_events(group.events)
        if group.names:
            self.log.add_names(group.names)

    def _decided(
        self, rows: Sequence[tuple[ScoreJob, Event]], known: dict[str, EventRecord]
    ) -> dict[int, Decision]:
        """The decisions on events, by the event, if all new ones are plain rows of numbers."""
        events = [event for _, event in rows if event.id not in known]
        try:
            found = self.served.decide_together(events)
        except BAD_ROW:  # which one is found when they are decided one by one
            found = None
        return {} if found is None else dict(zip(map(id, events), found, strict=True))

    def _event(
        self,
        group: Group,
        event: Event,
        reasons: int | None,
        known: dict[str, EventRecord],
        decision: Decision | None,
    ) -> Scored | Problem:
        try:
            features = encode(event.features)
            moment = None if event.time is None else encode(event.time).decode()
            costs = (event.fn_cost, event.fp_cost, event.tp_cost, event.tn_cost)
            given = None if costs == (None, None, None, None) else encode(costs).decode()
            stored = known.get(event.id)
            if stored is not None:
                return self._again(stored, event, features, moment, given)
            if self.pending + len(group.events) >= self.settings.max_pending:
                return Problem(
                    f"{self.settings.max_pending:,} events wait for their labels already",
                    "send labels, or let events expire: --expire 30d",
                    event.id,
                    429,
                )
            check_id(event.id)
            is_flat = features.count(b"{") == 1
            width = self._width(event, is_flat and b"[" not in features)
            new, left_out = NONE, NONE
            is_short = len(features) <= self.settings.max_name  # no text in it counts as a name
            is_known = is_flat and self.names.known.issuperset(event.features)
            may_be_long = not is_short and features.count(b'"') != 2 * len(event.features)
            if not is_known or (may_be_long and self.names.has_long_texts(event.features)):
                new, left_out = self.names.new_of(event.features, group.names)
            if left_out:
                event = msgspec.structs.replace(event, features=without(event.features, left_out))
                features = encode(event.features)
            hour = group.hour if event.time is None else hour_of(event.time, group.now)
            decision = decision or self.served.decide(event)
            if decision.own:
                check_costs(decision.costs)
            unfit = decision.unfit + names_left_out(left_out) if left_out else decision.unfit
            if unfit and self.settings.strict:
                return self._unfit(group, unfit, event.id)
            count = reasons if reasons is not None else self.settings.reasons * decision.flag
            count *= width <= WIDEST_EXPLAINED
            why = self.served.reasons(event, decision.flag, count) if count else None
        except BAD_ROW as error:
            return refusal(error, event.id)
        record = EventRecord._make(  # which is twice as fast as the call
            (
                self.last_event + len(group.events) + 1,
                event.id,
                group.now,
                moment,
                hour,
                features,
                given,
                *decision.costs,
                int(decision.own),
                int(decision.flag),
                decision.score,
                decision.probability,
                self.served.learnt,
                self.base_model.number,
                self.last_label,
                None if why is None else encode(why),
                len(left_out),
                encode(warnings_of(unfit)) if unfit else None,
                decision.forecast,
            )
        )
        if unfit:
            group.unfit.append((unfit, "warned"))
        known[event.id] = record
        group.events.append(record)
        if new:
            group.names.update(dict.fromkeys(new))
        group.left_out += len(left_out)
        group.costs.event(record)
        return Scored(answer_of(record, self.base_model.name), False)

    def _again(
        self,
        stored: EventRecord,
        event: Event,
        features: bytes,
        moment: str | None,
        given: str | None,
    ) -> Scored | Problem:
        if stored.left_out:
            features = encode(like(event.features, decode(stored.features)))
        if is_same(stored, features, moment, given):
            return Scored(answer_of(stored, self.models[stored.base_model]), True)
        return Problem(
            "there is another event with this id",
            "an id stands for one event: send the same event again, or another id",
            event.id,
            409,
        )

    @staticmethod
    def _unfit(group: Group, found: tuple[Unfit, ...], event_id: str) -> Problem:
        group.unfit.append((found, "refused"))
        return Problem(
            f"the event does not fit: {'; '.join(warnings_of(found))}",
            "send what the model has learnt, or start the service without --strict",
            event_id,
        )

    def _width(self, event: Event, is_plain: bool) -> int:
        """Refuse an event that is too wide; returns how many features it has."""
        width = len(event.features) if is_plain else width_of(event.features)
        if width > self.settings.max_features:
            raise CostreamError(f"an event may have {self.settings.max_features} features, not {width}")
        return width

    def _write(self, group: Group) -> None:
        if group.labels:
            self.log.add_labels(group.labels)
            self.log.no_longer_pending(group.resolved)
        group.costs.write(self.log)

    def snapshot_is_due(self) -> bool:
        """Whether the model has learnt enough since the last snapshot, or it is old."""
        since = self.served.learnt - self._tried_learnt
        old = time.monotonic() - self._tried_time >= self.settings.snapshot_seconds
        return not self._rejected and (since >= self.settings.snapshot_labels or (since > 0 and old))

    def close(self) -> None:
        """Take a snapshot if there is anything new, and give the directory back."""
        try:
            is_whole = not self._is_behind and not self._rejected and self._lock.is_held
            if is_whole and self.served.learnt > self.snapshot_learnt:
                self.write_snapshot(*self.snapshot())
        except MemoryError as error:
            log_no_snapshot(error)
        finally:
            self.release()

    def release(self) -> None:
        """Give the directory back as it is: all that was answered is in the log."""
        self.log.close()
        self._lock.release()
