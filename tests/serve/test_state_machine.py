"""The engine against a plain book in memory: groups, late labels, clocks, crashes, in any order.

Hypothesis draws what happens. The book predicts each answer, the counts, the costs and what is learnt;
the model must have the bits of one that learns the same labels one by one.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from costream import CostreamError, OnlineClassifier
from costream.labels.parsing import canonical
from costream.model.file import dumps
from costream.serve.engine import served_model
from costream.serve.engine.jobs import ExpireJob, Job, LabelJob, Scored, ScoreJob
from costream.serve.engine.recovery import open_engine
from costream.serve.engine.served_model import ServedModel, TrainingExample
from costream.serve.engine.timekeeping import accept, times_of
from costream.serve.messages import Label, LabelAnswer, Problem
from costream.serve.settings import Settings
from helpers.books import (
    KEEP_UNMATCHED,
    MAX_PENDING,
    MAX_UNMATCHED,
    UNLEARNABLE,
    Book,
    Draft,
    drafts,
    encode,
    jobs,
    late,
    sides,
)
from helpers.commands import compiled_only
from helpers.engines import DAY, START, Hand, fresh
from helpers.streams import JIT_OFF

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # text where there were numbers

INFERRED = 8  # labels after which the columns are inferred
REFUSED_LABELS = ("fraud", "maybe", 2)
WRITTEN = {
    "positive": (True, 1, 1.0),
    "negative": (False, 0, 0.0),
    "other positive": ("yes", "+1", "TRUE"),
    "other negative": (-1, "no", "-1.0"),
    "refused": REFUSED_LABELS,
}


def _refusing(sound: Any) -> Any:
    """Learning that refuses events with a certain feature."""

    def learn(self: ServedModel, examples: Any, *own: Any) -> None:
        rows = [examples] if isinstance(examples, TrainingExample) else examples
        if any(UNLEARNABLE in one.features for one in rows):
            raise CostreamError("this cannot be learnt")
        sound(self, examples, *own)

    return learn


class EngineMachine(RuleBasedStateMachine):
    """An engine, the book, and a model that learns one by one."""

    learner = "carow-diag"

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(served_model, "INFER_AFTER", INFERRED)
        self.patch.setattr(served_model, "SINGLY", 3)  # so that small groups are batches
        for name in ("_learn_one", "_learn_batch"):
            self.patch.setattr(ServedModel, name, _refusing(getattr(ServedModel, name)))
        self.folder = Path(tempfile.mkdtemp(prefix="costream-"))
        self.clock, self.book = Hand(), Book()
        self.twin = ServedModel(dumps(self.made()))
        self.tried = self.rejected = self.joined = 0
        self.is_sound = True  # but in the middle of a group
        self._open({"expire": None, "expire_as": "negative", "learn": "at-once"})

    def made(self) -> OnlineClassifier:
        """What the directory begins with."""
        return fresh(self.learner)

    def _open(self, late: dict[str, Any]) -> None:
        self.book.late = late
        limits = {
            "keep_unmatched": KEEP_UNMATCHED,
            "max_unmatched": MAX_UNMATCHED,
            "max_pending": MAX_PENDING,
        }
        self.engine = open_engine(self.folder, self.made, Settings(**late, **limits), self.clock)
        self.book.now = max(self.book.now, int(self.clock.seconds * 1000))
        assert self.engine.clock.now() == self.book.now
        assert not self.engine.clock.is_in_doubt

    def teardown(self) -> None:
        try:
            if self.is_sound:  # else something has failed already, and that is what counts
                self.same_bits()
                self.plain_bits()
                self.all_can_be_found()
            self.engine.close()
        finally:
            shutil.rmtree(self.folder)
            self.patch.undo()

    # --- what happens ---------------------------------------------------------------------------

    @rule(step=st.sampled_from([60.0, DAY / 2, DAY, 2 * DAY, -DAY, -0.5]))
    def clock_moves(self, step: float) -> None:
        self.clock.seconds = max(self.clock.seconds + step, START)

    @rule(rows=st.lists(drafts, min_size=3, max_size=8))
    def events_come(self, rows: list[Draft]) -> None:
        self.group([("score", rows)])

    @rule(drawn=st.lists(st.tuples(sides, st.integers(0, 2)), min_size=2, max_size=10))
    def their_labels_come(self, drawn: list[tuple[str, int]]) -> None:
        waiting = [name for name, one in self.book.entries.items() if one.pending]
        rows = [(name, *one) for name, one in zip(waiting, drawn, strict=False)]
        if rows:
            self.group([("label", rows)])

    @rule(drawn=st.lists(jobs, min_size=1, max_size=4))
    def group(self, drawn: list[tuple[str, Any]]) -> None:
        self.is_sound = False
        made, book = [self._job(*one) for one in drawn], self.book
        book.now = max(book.now, int(self.clock.seconds * 1000))
        records, learnt, pending = len(book.records), self.twin.learnt, book.pending
        before = set(book.entries)
        scored = [self._expected(job, learnt, pending, before) for job in made]
        self._join([name for name in book.entries if name not in before])
        labelled = [
            [self._label(one) for one in job.labels] if isinstance(job, LabelJob) else []
            for job in made
        ]
        expired = [book.expire() if isinstance(job, ExpireJob) else 0 for job in made]
        self.engine.run(made)
        self._check_records(records)
        statuses = self._teach()
        for job, scores, labels, number in zip(made, scored, labelled, expired, strict=True):
            if isinstance(job, ScoreJob):
                self._check_scores(job.results, scores)
            elif isinstance(job, LabelJob):
                self._check_labels(job.results, labels, statuses)
            else:
                assert job.expired == number
        self.counts_are_right()
        self.is_sound = True

    @rule()
    def snapshot(self) -> None:
        self.engine.snapshots.write(*self.engine.snapshot())

    @rule(
        late=late, clean=st.booleans(), snapshots=st.sampled_from(["kept", "kept", "gone", "damaged"])
    )
    def restart(self, late: dict[str, Any], clean: bool, snapshots: str) -> None:
        if clean:
            self.engine.close()
        else:  # as a crash leaves it
            self.engine.log.close()
            self.engine._lock.release()
        files = self.engine.snapshots.files()
        for file in files if snapshots == "gone" else []:
            file.unlink()
        for file in files[:1] if snapshots == "damaged" else []:
            file.write_bytes(file.read_bytes()[:-7] + b"damaged")
        if times_of(self.folder, self.clock).is_in_doubt:  # after days: the operator confirms it
            accept(self.folder, self.clock)
            self.book.last_received = int(self.clock.seconds * 1000)
        self.book.now = self.book.last_received or int(START * 1000)
        self._open(late)
        self.counts_are_right()
        self.same_bits()

    @rule()
    def costs_are_right(self) -> None:
        found, expected = self.engine.summary("hour"), self.book.costs()
        keys = ("events", "flags", "labelled", "expired", "positives", "missed", "false_alarms")
        costs = ("cost", "flag_nothing", "flag_all", "perfect")
        rows = [{key: getattr(row, key) for key in (*keys, *costs)} for row in found.rows]
        assert rows == [
            {key: one[key] for key in (*keys, *costs)} for _, one in sorted(expected.items())
        ]
        for one in (*keys, *costs):
            assert getattr(found.total, one) == sum(hour[one] for hour in expected.values())

    # --- what is expected ---------------------------------------------------------------------

    def _job(self, kind: str, rows: Sequence[Any]) -> Job:
        if kind == "expire":
            return ExpireJob()
        if kind == "label":
            return LabelJob([Label(name, WRITTEN[side][n]) for name, side, n in rows])
        known, events = {name: one.event for name, one in self.book.entries.items()}, []
        for draft in rows:
            events.append(draft.event(known.get(draft.id)))
            known.setdefault(draft.id, events[-1])
        return ScoreJob(events)

    def _expected(self, job: Job, learnt: int, pending: int, before: set[str]) -> list[Any]:
        found = []
        for event in job.events if isinstance(job, ScoreJob) else []:
            new = len(self.book.entries) - len(before)
            full = pending + new >= MAX_PENDING
            try:
                decision = self.twin.decide(event)
            except CostreamError:  # nested lists; nested dicts where the columns say otherwise
                decision = None
            found.append(self.book.score(event, decision, learnt, full))
        return found

    def _join(self, new: list[str]) -> None:
        """Labels that were unmatched are learnt with their events; in which order, the log says."""
        joined = [name for name in new if name in self.book.unmatched]
        for name in joined:
            positive, label, _ = self.book.unmatched.pop(name)
            self.book.record(self.book.entries[name], positive, label)
        self.joined = len(joined)

    def _label(self, label: Label) -> Any:
        """What becomes of a label: its status, or that of a refusal."""
        if label.label in REFUSED_LABELS:
            return 422
        given = [*WRITTEN["positive"], *WRITTEN["other positive"]]
        return self.book.label(label, any(one is label.label for one in given))

    def _check_records(self, before: int) -> None:
        """The records of a group are those of the book; those of unmatched labels come in any order."""
        rows = self.engine.log.read(
            "SELECT e.id, l.kind, l.positive FROM labels l JOIN events e ON e.seq = l.event "
            "ORDER BY l.seq LIMIT -1 OFFSET ?",
            (before,),
        )
        found = [(name, kind, bool(positive)) for name, kind, positive in rows]
        book, end = self.book.records, before + self.joined
        assert sorted(found[: self.joined]) == sorted(book[before:end])
        assert found[self.joined :] == book[end:]
        book[before:end] = found[: self.joined]
        order = {name: at for at, (name, *_) in enumerate(found[: self.joined])}
        part = slice(
            self.tried, self.tried + (self.joined if self.book.late["learn"] == "at-once" else 0)
        )
        self.book.examples[part] = sorted(
            self.book.examples[part], key=lambda one: order[one[0].event.id]
        )

    def _teach(self) -> dict[str, str]:
        """Teach the twin what is new, one by one; returns which events cannot be learnt."""
        refused = {}
        for entry, positive, label in self.book.examples[self.tried :]:
            own = entry.costs if entry.event.fn_cost is not None else None
            plain = msgspec.json.decode(encode(entry.event.features))
            example = TrainingExample(plain, own, positive, canonical(label))
            if self.twin.learn([example]):
                refused[entry.event.id] = "rejected"
        self.rejected += len(refused)
        self.tried = len(self.book.examples)
        return refused

    # --- what must hold -------------------------------------------------------------------------

    def _check_scores(self, results: list[Any], expected: list[Any]) -> None:
        for found, one in zip(results, expected, strict=True):
            if isinstance(one, int):
                assert isinstance(found, Problem)
                assert found.status == one
                continue
            answer, replayed = one
            assert isinstance(found, Scored)
            assert found.replayed == replayed
            if not answer.model:  # the name, reasons and warnings are those of the first answer
                answer.model, answer.reasons = found.answer.model, found.answer.reasons
                answer.warnings = found.answer.warnings
            assert found.answer == answer

    def _check_labels(self, results: list[Any], expected: list[Any], refused: dict[str, str]) -> None:
        for found, status in zip(results, expected, strict=True):
            if isinstance(status, int):
                assert isinstance(found, Problem)
                assert found.status == status
                continue
            assert isinstance(found, LabelAnswer)
            assert found.status == (refused.get(found.id, status) if status == "learnt" else status)
            assert found.learnt == self.twin.learnt

    def counts_are_right(self) -> None:
        state, book = self.engine.status(), self.book
        assert state.events == len(book.entries)
        assert state.labels == len(book.records)
        assert (state.pending, state.unmatched) == (book.pending, len(book.unmatched))
        assert (state.learnt, state.rejected) == (self.twin.learnt, self.rejected)
        assert state.learnt == len(book.examples) - self.rejected

    def same_bits(self) -> None:
        assert self.engine.served.dump({}) == self.twin.dump({})

    def plain_bits(self) -> None:
        """Unless columns were inferred, a model without any service has the same weights."""
        if self.twin.model.schema is not None:
            return
        model = self.made()
        for entry, positive, _ in self.book.examples:
            event = entry.event
            costs = {} if event.fn_cost is None else entry.costs._asdict()
            if UNLEARNABLE not in event.features:
                side = model.labels.negative or (0,)
                model.learn_one(event.features, 1 if positive else side[0], **costs)
        live = self.engine.served.model
        assert live.feature_names == model.feature_names
        assert live.counts == model.counts
        assert live.coef_.tobytes() == model.coef_.tobytes()

    def all_can_be_found(self) -> None:
        assert self.engine.find("nobody") is None
        for name, entry in self.book.entries.items():
            found = self.engine.find(name)
            assert found is not None
            assert encode(found["features"]) == encode(entry.event.features)
            assert (found["score"], found["learnt"]) == (entry.answer.score, entry.answer.learnt)
            assert (found["state"], found["costs"]) == (entry.state, entry.costs._asdict())
            assert [(one["kind"], one["positive"]) for one in found["labels"]] == [
                one[:2] for one in entry.labels
            ]


class TrainedMachine(EngineMachine):
    """The same from a model that has learnt something, so that every snapshot is gone on from."""

    def made(self) -> OnlineClassifier:
        model = fresh(self.learner)
        for amount in (1.0, 2.5):
            model.learn_one({"amount": amount, "shop": "FR"}, int(amount > 2))
        return model


class AutoMachine(EngineMachine):
    """The same with a portfolio, which has probabilities, reasons and a second thread."""

    learner = "auto"


def examples(number: int, steps: int) -> settings:
    return settings(max_examples=number, stateful_step_count=steps)


@pytest.mark.slow
@pytest.mark.parametrize("machine", [EngineMachine, TrainedMachine])
def test_the_engine_does_as_the_book_says(machine: type[EngineMachine]) -> None:
    run_state_machine_as_test(machine, settings=examples(4 if JIT_OFF else 25, 30))


@pytest.mark.slow
@compiled_only
def test_so_does_one_with_a_portfolio() -> None:
    run_state_machine_as_test(AutoMachine, settings=examples(8, 20))


@pytest.mark.long
@compiled_only
@pytest.mark.parametrize("machine", [EngineMachine, TrainedMachine, AutoMachine])
def test_for_long(machine: type[EngineMachine]) -> None:
    many = settings(examples(1500, 60), derandomize=False, print_blob=True)
    run_state_machine_as_test(machine, settings=many)
