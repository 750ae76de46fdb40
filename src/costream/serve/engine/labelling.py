"""What becomes of labels: learnt, deferred to the end of the window, revised, unmatched, expired."""

from __future__ import annotations

from collections.abc import Sequence

from ..messages import Label, LabelAnswer, Problem, encode
from ..storage.records import LEARNT_KINDS, EventRecord, LabelRecord, UnmatchedLabel
from ..times import hour_of
from .jobs import ExpireJob, Group, GroupExample, LabelJob, check_id, example_of, refusal
from .label_parsing import side_of
from .served_model import BAD_ROW
from .state import EngineState

AT_ONCE = 1000  # events that expire in one group
AT_A_TIME = 256  # labels whose events are read together
MOST_LEARNT = 512 << 10  # bytes of events that a group learns: more would keep all others waiting
NOT_UNLEARNT = "the costs are corrected; what the model has learnt stays"


class Labelling(EngineState):
    """The methods of the engine that make records of labels and of the ends of windows."""

    def _take_labels(self, group: Group, jobs: Sequence[LabelJob]) -> None:
        """Record labels: those that were unmatched until now, then those of jobs."""
        new = {one.id: one for one in group.events}
        unmatched = self.log.unmatched_of(list(new)) if self.unmatched and new else {}
        last: dict[int, LabelRecord] = {}
        for one in unmatched.values():
            self._record(group, new[one.id], one, last)
        self.log.remove_unmatched(list(unmatched))
        group.unmatched -= len(unmatched)
        waiting: dict[str, UnmatchedLabel] = {}
        rows = [(job, label) for job in jobs for label in job.labels[job.done :]]
        for at in range(0, len(rows), AT_A_TIME):
            part = rows[at : at + AT_A_TIME]
            events = self.log.events_of([*{label.id for _, label in part if label.id not in new}])
            last = self.log.last_labels([one.seq for one in events.values()]) | last
            events |= new
            for job, label in part:
                if group.size < MOST_LEARNT:
                    before = len(group.labels)
                    job.results.append(self._label(group, label, events, last, waiting))
                    is_new = len(group.labels) > before
                    job.records.append(group.labels[-1].seq if is_new else None)
            if group.size >= MOST_LEARNT:
                break
        for one in waiting.values():
            self.log.keep_unmatched(one)

    def _label(
        self,
        group: Group,
        label: Label,
        events: dict[str, EventRecord],
        last: dict[int, LabelRecord],
        waiting: dict[str, UnmatchedLabel],
    ) -> LabelAnswer | Problem:
        try:
            check_id(label.id)
            positive, given = side_of(label.label, self.served.labels)
            hour_of(label.time, group.now)
        except BAD_ROW as error:
            return refusal(error, label.id)
        moment = None if label.time is None else encode(label.time).decode()
        one = UnmatchedLabel(label.id, int(positive), encode(given).decode(), group.now, moment)
        event = events.get(label.id)
        answer = LabelAnswer(label.id, "unmatched", 0)
        group.answers.append(answer)
        if event is not None:
            return self._record(group, event, one, last, answer)
        if label.id not in waiting and not self.log.unmatched_of([label.id]):
            if self.unmatched + group.unmatched >= self.settings.max_unmatched:
                return Problem(
                    f"{self.settings.max_unmatched:,} labels wait for their events already",
                    "send the events first",
                    label.id,
                    429,
                )
            group.unmatched += 1
        answer.detail = "there is no event with this id yet: the label waits for it"
        waiting[label.id] = one
        return answer

    def _record(
        self,
        group: Group,
        event: EventRecord,
        label: UnmatchedLabel,
        last: dict[int, LabelRecord],
        answer: LabelAnswer | None = None,
    ) -> LabelAnswer:
        """Record a label of an event: learnt, deferred to the end of the window, or a revision."""
        answer = answer or LabelAnswer(event.id, "learnt", 0)
        before = last.get(event.seq)
        positive = bool(label.positive)
        if before is not None and before.kind != "expiry" and before.positive == positive:
            answer.status = "duplicate"
            return answer
        if before is None:
            at_once = self.settings.learn == "at-once"
            kind = "label" if at_once else "deferred"
            answer.status = "learnt" if at_once else "deferred"
        else:
            kind = "deferred" if before.kind == "deferred" else "revision"
            answer.status = "revised"
            if kind == "revision":
                answer.detail = NOT_UNLEARNT
            group.costs.label(event, bool(before.positive), -1)
            if before.kind == "expiry":
                group.costs.expired(event, -1)
        group.costs.label(event, positive)
        self._add(group, event, kind, label, last, answer)
        return answer

    def _add(
        self,
        group: Group,
        event: EventRecord,
        kind: str,
        label: UnmatchedLabel,
        last: dict[int, LabelRecord],
        answer: LabelAnswer | None = None,
    ) -> None:
        seq = self.last_label + len(group.labels) + 1
        text = label.label or None
        record = LabelRecord(seq, event.seq, kind, label.positive, text, group.now, label.time)
        last[event.seq] = record
        group.labels.append(record)
        if kind in LEARNT_KINDS:
            group.resolved.append(event.seq)
            group.examples.append(GroupExample(seq, example_of(event, record), answer))
            group.size += len(event.features)
        elif kind == "deferred":
            self._has_deferred = True

    # --- expiry ---------------------------------------------------------------------------------

    def _expire_unmatched(self, group: Group, before: int) -> None:
        """Forget labels whose events have not come in time; that is recorded, and counted."""
        group.unmatched_expired = self.log.expire_unmatched(before)
        if group.unmatched_expired:
            group.unmatched -= group.unmatched_expired
            detail = {"labels": group.unmatched_expired}
            self.log.add_operation("unmatched-expired", group.now, detail)

    def _expire(self, group: Group, job: ExpireJob) -> None:
        if self.clock.is_in_doubt or self.clock.steps:  # it may be wrong, or is just being corrected
            return
        settings, now = self.settings, group.now
        if self.unmatched:
            self._expire_unmatched(group, now - int(settings.keep_unmatched * 1000))
        self.log.no_longer_pending(group.resolved)
        events: list[EventRecord] = []
        if settings.expire is not None:
            events = self.log.pending_until(now - int(settings.expire * 1000), AT_ONCE, MOST_LEARNT)
        if not events and self._has_deferred and settings.learn == "at-once":
            events = self.log.deferred(AT_ONCE)  # deferred under other settings
            self._has_deferred = bool(events)
        if group.labels:
            resolved = set(group.resolved)
            events = [one for one in events if one.seq not in resolved]
        last = self.log.last_labels([one.seq for one in events]) if events else {}
        last |= {one.event: one for one in group.labels}
        for event in events:
            before = last.get(event.seq)
            if before is None:
                positive = settings.expire_as == "positive"
                self._add(
                    group, event, "expiry", UnmatchedLabel(event.id, int(positive), "", now, None), last
                )
                group.costs.label(event, positive)
                group.costs.expired(event, 1)
            else:
                deferred = UnmatchedLabel(
                    event.id, before.positive, before.label or "", now, before.time
                )
                self._add(group, event, "due", deferred, last)
        job.expired = len(events)
