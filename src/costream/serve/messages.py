"""What the service is sent and what it answers, as JSON; `/openapi.json` is made from these."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, json

ID_BYTES = 200
ROWS = 1000  # events or labels in one request
LARGEST_COST = 1e12  # so that none swallows all others in a sum
REASONS = 20  # the most that can be asked for
encode, decode = json.Encoder().encode, json.Decoder().decode

Id = Annotated[str, Meta(min_length=1, max_length=ID_BYTES, description="1 to 200 bytes of UTF-8")]
Time = Annotated[
    str | int | float,
    Meta(description="ISO 8601, in UTC where no offset says otherwise, or seconds since 1970"),
]
Money = Annotated[
    float,
    Meta(ge=-LARGEST_COST, le=LARGEST_COST, description="what this outcome of the event costs"),
]


class Event(Struct, forbid_unknown_fields=True):
    """An event to be decided on now."""

    id: Id
    features: dict[str, Any]
    time: Time | None = None
    fn_cost: Money | None = None
    fp_cost: Money | None = None
    tp_cost: Money | None = None
    tn_cost: Money | None = None


class Reason(Struct):
    """A feature of an event that speaks for the decision, or against it where none speaks for it."""

    feature: str
    value: Annotated[Any, Meta(description="as the event has it; null where it is missing")]
    usual: Annotated[
        float | bool | str | None,
        Meta(description="what it usually is; null where no value is usual"),
    ]
    effect: Annotated[
        float, Meta(description="on the log-odds: above 0 it raises the risk, below 0 it lowers it")
    ]


class Answer(Struct, omit_defaults=True):
    """The decision on an event; `learnt` is the number of labels that the model had learnt then."""

    id: str
    flag: bool
    score: float
    probability: float
    learnt: int
    model: str
    reasons: list[Reason] | None = None
    warnings: Annotated[
        list[str] | None,
        Meta(description="what does not fit about the event; left out where all of it fits"),
    ] = None


class BatchAnswer(Answer, omit_defaults=True):
    """The answer to a row of a batch; `replayed` is true where the event was answered before."""

    replayed: bool = False


class Label(Struct, forbid_unknown_fields=True):
    """The label of an event: what it turned out to be."""

    id: Id
    label: Annotated[
        bool | int | float | str,
        Meta(
            description='1, true and "yes" are positive, 0, -1, false and "no" negative, in any mix; '
            "a model with labels of its own takes these"
        ),
    ]
    time: Time | None = None


Status = Literal["learnt", "deferred", "duplicate", "revised", "unmatched", "rejected"]


class LabelAnswer(Struct, omit_defaults=True):
    """What became of a label; `learnt` is the number of labels that the model has learnt now."""

    id: str
    status: Annotated[
        Status,
        Meta(
            description="learnt: the model has learnt it; deferred: it is learnt when the window of "
            "its event ends; duplicate: it was there already; revised: it takes the place of another "
            "one; unmatched: it waits for its event; rejected: it is recorded, but could not be learnt"
        ),
    ]
    learnt: int
    detail: str | None = None


class Problem(Struct, omit_defaults=True):
    """Why a row, or a whole request, was refused."""

    error: str
    hint: str | None = None
    id: str | None = None
    status: int = 422

    @classmethod
    def of(cls, error: Exception, event_id: str | None) -> Problem:
        """What an error says of a row."""
        message, _, hint = str(error).partition("\nhint: ")
        return cls(message, hint or None, event_id)


class Refusal(Struct):
    """Why a request was not carried out, and what to do about it."""

    error: str
    hint: str


class Period(Struct, omit_defaults=False):
    """What happened to the events of a day or an hour; costs are those of labelled events."""

    events: int
    flags: int
    labelled: int
    expired: int
    unlabelled: float
    positives: int
    missed: int
    false_alarms: int
    cost: float
    flag_nothing: float
    flag_all: float
    sensitivity: float | None
    specificity: float | None
    start: str | None = None
    perfect: float = 0.0
    savings: float | None = None


class Summary(Struct):
    """Counts and costs by day or hour of the events, and of all of them."""

    by: Literal["day", "hour"]
    rows: list[Period]
    total: Period
    learnt: int
    model: str
    leader: str | None
    truncated: bool


class State(Struct):
    """The state of the service: counts, sizes and ages."""

    events: int
    labels: int
    learnt: int
    pending: int
    unmatched: int
    unmatched_expired: int
    clock_in_doubt: bool
    rejected: int
    flags: int
    model: str
    learner: str
    leader: str | None
    wal_bytes: int
    snapshot_learnt: int
    snapshot_age: float
    groups: int
    last_group: int
    last_commit: float
    started: float
    names: int
    names_left_out: int
    unfit: int
