"""The options that commands share: how they are written, and what they mean."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from . import UsageError
from .learner_options import DEFAULT_LEARNER, set_option

if TYPE_CHECKING:
    from ..aliases import Label
    from ..classifier import OnlineClassifier
    from ..evaluate.tally import Costs
    from ..learners import Learner
    from ..objective import Objective
    from ..streams.layout import Layout
    from ..streams.reader import Stream

FORMAT_NAMES = ("libsvm", "csv", "tsv", "jsonl", "parquet", "arrow")


Command = Callable[..., Any]


def choice(*names: str) -> click.Choice[str]:
    return click.Choice(names)


file_argument = click.argument("file", metavar="FILE", type=click.Path())
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
run_options = (
    click.option(
        "--order",
        type=click.Path(),
        metavar="FILE",
        help="A text file with one permutation of the rows per line, counted from 1.",
    ),
    click.option("--runs", type=click.IntRange(1), metavar="N", help="Number of random orders."),
    click.option(
        "--seed", type=click.IntRange(0), default=0, metavar="S", help="Seed of the random orders.  [0]"
    ),
)
row_options = (
    click.option(
        "--format",
        type=choice(*FORMAT_NAMES),
        help="Format of FILE.  [detected from its name or its first bytes]",
    ),
    click.option("--label", metavar="COLUMN", help="The label column.  [label, target, class or y]"),
    click.option(
        "--positive",
        metavar="L[,L...]",
        help="The positive label or labels; all others are negative.  [1 of -1/1 and 0/1, 2 of 1/2, "
        "true, yes, or the less frequent of two words]",
    ),
    click.option(
        "--ignore", multiple=True, metavar="COLUMN", help="A column to leave out; may be repeated."
    ),
    click.option(
        "--text",
        multiple=True,
        metavar="COLUMN",
        help="Treat a column of numbers as text, such as a postal code; may be repeated.",
    ),
    click.option(
        "--fn-cost-column",
        metavar="COLUMN",
        help="The column with the false negative cost of each row; it is not used as a feature.",
    ),
    click.option(
        "--fp-cost-column",
        metavar="COLUMN",
        help="The column with the false positive cost of each row; it is not used as a feature.",
    ),
    click.option(
        "--hash-bits",
        type=click.IntRange(1, 30),
        metavar="BITS",
        help="Hash text values into 2^BITS features.  [18]",
    ),
)
model_options = (
    set_option,
    click.option(
        "--objective",
        type=choice("sum", "cost"),
        help="The weighted sum of sensitivity and specificity, or the cost of mistakes.  [cost if a "
        "cost is given, else sum]",
    ),
    click.option(
        "--fn-cost", type=float, metavar="A", help="Cost of a false negative (a miss).  [0.9]"
    ),
    click.option(
        "--fp-cost", type=float, metavar="B", help="Cost of a false positive (a false alarm).  [0.1]"
    ),
    click.option("--alpha-p", type=float, metavar="P", help="Weight of sensitivity in the sum.  [0.5]"),
    click.option(
        "--half-life",
        type=click.IntRange(1),
        metavar="ROWS",
        help="For streams that change: number of rows after which the weight of an old row halves, in "
        "auto and in the class ratio of the sum.  [never]",
    ),
    click.option(
        "--normalize", type=choice("l2", "none"), help="Divide each row by its L2 norm, or not.  [l2]"
    ),
    click.option(
        "--intercept/--no-intercept",
        default=None,
        help="Add an intercept: a feature with value 1 in every row.  [no]",
    ),
    click.option(
        "--max-features",
        type=click.IntRange(1),
        metavar="N",
        help="Maximum number of features; later ones are left out.  [limited by memory]",
    ),
)
ratio_option = click.option(
    "--ratio",
    type=choice("known", "laplace"),
    help="For the sum: take the class ratio from the whole file, or estimate it from the rows seen "
    "so far.  [laplace]",
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

    @property
    def layout(self) -> Layout:
        """Which columns mean what."""
        from ..streams.layout import Layout

        return Layout(
            label=self.label,
            ignore=self.ignore,
            text=self.text,
            fn_cost=self.fn_cost_column,
            fp_cost=self.fp_cost_column,
            hash_bits=self.hash_bits,
        )

    @property
    def positive_labels(self) -> tuple[Label, ...] | None:
        """The labels of --positive."""
        from ..labels import listed

        return listed(self.positive)

    def stream(self, path: str) -> Stream:
        """Open a file."""
        from ..streams.reader import Stream

        return Stream.of_layout(path, self.layout, positive=self.positive_labels, format=self.format)

    def stream_for(
        self, path: str, model: OnlineClassifier, *, learn: bool, live: bool = False
    ) -> Stream:
        """Open a file for a model, which remembers its columns; ``live``: do not wait for more rows."""
        from ..streams.reader import PATIENCE, Stream

        return Stream.for_model(
            path,
            model,
            self.layout,
            learn=learn,
            positive=self.positive_labels,
            format=self.format,
            patience=0.0 if live else PATIENCE,
        )


@dataclass(frozen=True)
class ModelOptions:
    """What is to be learnt, and by whom."""

    learner: str | None = None
    settings: tuple[str, ...] = ()
    objective: str | None = None
    fn_cost: float | None = None
    fp_cost: float | None = None
    alpha_p: float | None = None
    half_life: int | None = None
    normalize: str | None = None
    intercept: bool | None = None
    max_features: int | None = None
    costs_per_row: bool = False  # whether rows have costs of their own
    ratio: str | None = None

    def make_learner(self) -> Learner:
        """The learner with its hyper-parameters."""
        return self.make_learners([self.learner or DEFAULT_LEARNER])[0]

    def make_learners(self, names: Iterable[str]) -> list[Learner]:
        """Learners with those of the hyper-parameters that they have; one at least must have each."""
        from ..errors import CostreamError
        from ..learners import make_learner

        params = dict(self._setting(one) for one in self.settings)
        try:
            learners = [make_learner(name) for name in names]
            for key in params:
                if not any(key in learner.get_params() for learner in learners):
                    if len(learners) > 1:
                        raise UsageError(f"none of the learners has a hyper-parameter {key!r}")
                    learners[0].set_params(**{key: params[key]})  # raises an error
            for learner in learners:
                own = learner.get_params()
                learner.set_params(**{key: params[key] for key in params if key in own})
            if self.half_life is not None:
                self._let_forget(learners)
        except CostreamError as error:
            raise UsageError(str(error)) from None
        return learners

    def _let_forget(self, learners: list[Learner]) -> None:
        if any(one.startswith("half_life=") for one in self.settings):
            raise UsageError(
                "--half-life and --set half_life exclude each other\nhint: use only one of them"
            )
        forgetful = [learner for learner in learners if "half_life" in learner.get_params()]
        for learner in forgetful:
            learner.set_params(half_life=self.half_life)
        if self.by_cost and not forgetful:
            raise UsageError(f"{learners[0].name} has no half-life\nhint: leave out --half-life")

    @staticmethod
    def _setting(text: str) -> tuple[str, Any]:
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--set {text} is not KEY=VALUE\nhint: for example --set eta=10")
        words = {"true": True, "false": False, "none": None}
        if value.lower() in words:
            return key.strip(), words[value.lower()]
        for kind in (int, float):
            try:
                return key.strip(), kind(value)
            except ValueError:
                continue
        if key.strip() == "views":  # of auto: names, and not a number
            return key.strip(), tuple(name.strip() for name in value.split(","))
        raise UsageError(f"--set {text}: {value!r} is not a number, true, false or none")

    @property
    def by_cost(self) -> bool:
        """Whether the objective is the cost: so it was said, or a cost was given."""
        if self.objective is not None:
            return self.objective == "cost"
        return self.fn_cost is not None or self.fp_cost is not None or self.costs_per_row

    @property
    def costs(self) -> Costs:
        from ..evaluate.tally import Costs

        return Costs(
            Costs.fn_cost if self.fn_cost is None else self.fn_cost,
            Costs.fp_cost if self.fp_cost is None else self.fp_cost,
            Costs.alpha_p if self.alpha_p is None else self.alpha_p,
        )

    def make_objective(self, positives: int = 0, negatives: int = 0) -> Objective:
        """The objective; the counts are those of the whole file, for a ratio that is known."""
        from ..errors import CostreamError
        from ..objective import Cost, Sum

        costs = self.costs
        try:
            cost = Cost(costs.fn_cost, costs.fp_cost)
            if self.by_cost:
                return cost
            plain = Sum(costs.alpha_p, half_life=self.half_life)
        except CostreamError as error:
            raise UsageError(f"{error}\nhint: see --fn-cost, --fp-cost and --alpha-p") from None
        if self.ratio != "known":
            return plain
        if self.half_life is not None:
            raise UsageError(
                "--ratio known and --half-life exclude each other\nhint: use only one of them"
            )
        if not (positives and negatives):
            raise CostreamError("all rows are of one class", "use --ratio laplace")
        return Sum.known(positives, negatives, costs.alpha_p)

    def make_model(self, learner: Learner, objective: Objective, **more: Any) -> OnlineClassifier:
        """An empty model."""
        from ..classifier import OnlineClassifier

        return OnlineClassifier(
            learner,
            objective,
            fit_intercept=bool(self.intercept),
            normalize=self.normalize != "none",
            max_features=self.max_features,
            **more,
        )


def check_orders(order: str | None, runs: int | None) -> None:
    if order is not None and runs is not None:
        raise UsageError("--order and --runs exclude each other\nhint: use only one of them")


def check_writable(path: Path, begins: bytes) -> None:
    """Raise an error if a file could not be written, or is there and something else than ours.

    Better now than after hours of work. ``begins`` is how a file of ours begins.
    """
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}\nhint: create it first")
    if path.is_dir():
        raise UsageError(f"{path} is a folder\nhint: name a file in it")
    if not os.access(path.parent, os.W_OK):
        raise UsageError(f"{path} cannot be written\nhint: choose another folder")
    if path.is_file():
        with open(path, "rb") as old:
            if old.read(len(begins)) != begins:
                raise UsageError(
                    f"{path} exists and is a different kind of file\nhint: choose another name"
                )


Options = TypeVar("Options", RowOptions, ModelOptions)


def collect(kind: type[Options], given: dict[str, Any]) -> Options:
    """Take the options of one kind out of all that were given."""
    return kind(**{item.name: given.pop(item.name) for item in fields(kind) if item.name in given})


def collect_both(given: dict[str, Any]) -> dict[str, Any]:
    """Put the options about rows and about the model in their places; costs of rows mean the cost."""
    rows, model = collect(RowOptions, given), collect(ModelOptions, given)
    if rows.fn_cost_column or rows.fp_cost_column:
        model = replace(model, costs_per_row=True)
    return {**given, "rows": rows, "options": model}
