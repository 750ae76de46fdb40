"""The options that commands share: how they are written, and what they mean."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from . import UsageError

if TYPE_CHECKING:
    from ..classifier import OnlineClassifier
    from ..evaluate.tally import Prices
    from ..learners import Learner
    from ..objective import Objective
    from ..streams.reader import Stream

# Written out, so that --help need not load NumPy; a test compares them with the registry.
LEARNER_NAMES = (
    *(
        "perceptron",
        "romma",
        "pa-i",
        "paum",
        "cpa-pb",
        "arow",
        "carow",
        "carow-diag",
        "cog-i",
        "cog-ii",
    ),
    *(
        "acog-i",
        "acog-ii",
        "acog-i-diag",
        "acog-ii-diag",
        "sacog-i",
        "sacog-ii",
        "ssacog-i",
        "ssacog-ii",
    ),
)
FORMAT_NAMES = ("libsvm", "csv", "tsv", "jsonl", "parquet", "arrow")
DEFAULT_LEARNER = "carow-diag"


Command = Callable[..., Any]


def choice(*names: str) -> click.Choice[str]:
    return click.Choice(names)


class Name(click.ParamType[str]):
    """A name that is completed on the command line, and checked by whoever uses it."""

    name = "name"

    def __init__(self, names: Iterable[str]) -> None:
        self._names = names

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in self._names if name.startswith(incomplete)]


file_argument = click.argument("file", metavar="FILE", type=click.Path())
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
run_options = (
    click.option(
        "--order",
        type=click.Path(),
        metavar="FILE",
        help="A text file with one permutation of the rows a line, counted from 1.",
    ),
    click.option("--runs", type=click.IntRange(1), metavar="N", help="How many random orders."),
    click.option(
        "--seed", type=click.IntRange(0), default=0, metavar="S", help="Of the random orders.  [0]"
    ),
)
row_options = (
    click.option(
        "--format",
        type=choice(*FORMAT_NAMES),
        help="What FILE is. Without it: by its name, or its first bytes.",
    ),
    click.option(
        "--label", metavar="COLUMN", help="The column with the label.  [label, target, class or y]"
    ),
    click.option(
        "--positive",
        metavar="L[,L...]",
        help="The positive label, or several, against the rest.  [1 of -1/1 and 0/1, 2 of 1/2, true, "
        "yes, or the rarer of two words]",
    ),
    click.option(
        "--ignore", multiple=True, metavar="COLUMN", help="A column to leave out; may be repeated."
    ),
    click.option(
        "--text",
        multiple=True,
        metavar="COLUMN",
        help="A column of text that looks like numbers, such as a post code; may be repeated.",
    ),
    click.option(
        "--fn-cost-column",
        metavar="COLUMN",
        help="The column with what missing this row costs; it is no feature.",
    ),
    click.option(
        "--fp-cost-column",
        metavar="COLUMN",
        help="The column with what flagging this row costs; it is no feature.",
    ),
    click.option(
        "--hash-bits",
        type=click.IntRange(1, 30),
        metavar="BITS",
        help="Text values share 2^BITS features.  [18]",
    ),
)
learner_option = click.option(
    "--learner",
    "-l",
    type=Name(LEARNER_NAMES),
    metavar="NAME",
    help=f"One of {', '.join(LEARNER_NAMES)}.  [{DEFAULT_LEARNER}]",
)
model_options = (
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="KEY=VALUE",
        help="A hyper-parameter of the learner, such as eta=10; may be repeated.",
    ),
    click.option(
        "--objective",
        type=choice("sum", "cost"),
        help="The weighted sum of sensitivity and specificity, or the cost of mistakes.  [cost where "
        "a cost is given, else sum]",
    ),
    click.option("--fn-cost", type=float, metavar="A", help="What a missed positive costs.  [0.9]"),
    click.option("--fp-cost", type=float, metavar="B", help="What a false alarm costs.  [0.1]"),
    click.option(
        "--alpha-p", type=float, metavar="P", help="The weight of sensitivity in the sum.  [0.5]"
    ),
    click.option(
        "--normalize", type=choice("l2", "none"), help="Whether rows are divided by their length.  [l2]"
    ),
    click.option(
        "--intercept/--no-intercept",
        default=None,
        help="Whether every row has one more feature of value 1.  [no]",
    ),
    click.option(
        "--max-features",
        type=click.IntRange(1),
        metavar="N",
        help="How many features the model may have; later ones are left out.  [what memory holds]",
    ),
)
ratio_option = click.option(
    "--ratio",
    type=choice("known", "laplace"),
    help="For the sum: take the class ratio from the whole file, or estimate it from the rows "
    "before.  [laplace]",
)


def add(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Give a command all of these options, in their order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@dataclass(frozen=True)
class RowOptions:
    """How a file is to be read."""

    format: str | None = None
    label: str | None = None
    positive: str | None = None
    ignore: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    fn_cost_column: str | None = None
    fp_cost_column: str | None = None
    hash_bits: int | None = None

    def stream(self, path: str, model: OnlineClassifier | None = None) -> Stream:
        """Open a file; a model remembers which columns of a table meant what."""
        from ..streams.block import Layout
        from ..streams.hashing import TextSlots
        from ..streams.reader import Stream

        known: dict[str, Any] = {} if model is None else model.notes.get("columns", {})
        text = tuple(known.get("text", ()))
        bits = self.hash_bits or known.get("hash_bits") or Layout.hash_bits
        if known.get("hash_bits", bits) != bits:
            raise UsageError(f"the model has {known['hash_bits']} hash bits, not {bits}")
        layout = Layout(
            label=self.label or known.get("label"),
            ignore=tuple(self.ignore or known.get("ignore", ())),
            text=tuple(dict.fromkeys([*text, *self.text])),
            fn_cost=self.fn_cost_column or known.get("fn_cost"),
            fp_cost=self.fp_cost_column or known.get("fp_cost"),
            hash_bits=bits,
            strict=model is None,
        )
        names: list[str] = []
        if model is not None and text:
            begins = tuple(f"{column}=" for column in text)
            names = [n for n in model.feature_names if isinstance(n, str) and n.startswith(begins)]
        return Stream(path, layout, format=self.format, slots=TextSlots(bits, names))


@dataclass(frozen=True)
class ModelOptions:
    """What is to be learnt, and by whom."""

    learner: str | None = None
    settings: tuple[str, ...] = ()
    objective: str | None = None
    fn_cost: float | None = None
    fp_cost: float | None = None
    alpha_p: float | None = None
    normalize: str | None = None
    intercept: bool | None = None
    max_features: int | None = None
    ratio: str | None = None

    def make_learner(self, name: str | None = None) -> Learner:
        """The learner with its hyper-parameters; with a name, those that this learner has."""
        from ..errors import CostreamError
        from ..learners import make_learner

        try:
            learner = make_learner(name or self.learner or DEFAULT_LEARNER)
            params = dict(self._setting(one) for one in self.settings)
            if name is not None:
                params = {key: params[key] for key in params if key in learner.get_params()}
            return learner.set_params(**params)
        except CostreamError as error:
            raise UsageError(str(error)) from None

    @staticmethod
    def _setting(text: str) -> tuple[str, Any]:
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--set {text} is not KEY=VALUE\nhint: --set eta=10")
        words = {"true": True, "false": False, "none": None}
        if value.lower() in words:
            return key.strip(), words[value.lower()]
        for kind in (int, float):
            try:
                return key.strip(), kind(value)
            except ValueError:
                continue
        raise UsageError(f"--set {text}: {value!r} is not a number, true, false or none")

    @property
    def by_cost(self) -> bool:
        """Whether the objective is the cost: so it was said, or a cost was given."""
        if self.objective is not None:
            return self.objective == "cost"
        return self.fn_cost is not None or self.fp_cost is not None

    @property
    def prices(self) -> Prices:
        from ..evaluate.tally import Prices

        return Prices(
            Prices.fn_cost if self.fn_cost is None else self.fn_cost,
            Prices.fp_cost if self.fp_cost is None else self.fp_cost,
            Prices.alpha_p if self.alpha_p is None else self.alpha_p,
        )

    def make_objective(self, positives: int = 0, negatives: int = 0) -> Objective:
        """The objective; the counts are those of the whole file, for a ratio that is known."""
        from ..errors import CostreamError
        from ..objective import Cost, Sum

        prices = self.prices
        try:
            cost = Cost(prices.fn_cost, prices.fp_cost)
            if self.by_cost:
                return cost
            plain = Sum(prices.alpha_p)
        except CostreamError as error:
            raise UsageError(f"{error}\nhint: see --fn-cost, --fp-cost and --alpha-p") from None
        if self.ratio != "known":
            return plain
        return Sum.known(positives, negatives, prices.alpha_p)

    def make_model(self, learner: Learner, objective: Objective, **more: Any) -> OnlineClassifier:
        """An empty model."""
        from ..classifier import OnlineClassifier

        return OnlineClassifier(
            learner,
            objective,
            intercept=bool(self.intercept),
            normalize=self.normalize != "none",
            max_features=self.max_features,
            **more,
        )


def check_writable(path: Path) -> None:
    """Raise an error if a file could not be written: better now than after hours of work."""
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}\nhint: make it first")
    if path.is_dir():
        raise UsageError(f"{path} is a folder\nhint: name a file in it")
    if not os.access(path.parent, os.W_OK):
        raise UsageError(
            f"no file can be written in {path.parent.resolve()}\nhint: choose another folder"
        )


Options = TypeVar("Options", RowOptions, ModelOptions)


def collect(kind: type[Options], given: dict[str, Any]) -> Options:
    """Take the options of one kind out of all that were given."""
    return kind(**{item.name: given.pop(item.name) for item in fields(kind) if item.name in given})


def collect_both(given: dict[str, Any]) -> dict[str, Any]:
    """Put the options about rows and about the model in their places; prices of rows mean the cost."""
    rows, model = collect(RowOptions, given), collect(ModelOptions, given)
    if model.objective is None and (rows.fn_cost_column or rows.fp_cost_column):
        model = replace(model, objective="cost")
    return {**given, "rows": rows, "options": model}
