"""The options that commands share: how they are written, and what they mean.

The registries load NumPy, so they are asked when a name is completed or used, and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from ..errors import CostreamError
from . import UsageError, excluded, usage
from .groups import Declared, add, options
from .row_options import RowOptions

if TYPE_CHECKING:
    from ..costs.objective import CostColumn, Objective
    from ..costs.tally import Costs
    from ..learners import Learner
    from ..model.classifier import OnlineClassifier

DEFAULT_LEARNER = "auto"
LISTED = "`costream learners` lists them"


def choice(*names: str) -> click.Choice[str]:
    return click.Choice(names)


class LearnerName(click.ParamType[str]):
    """The name of a learner, which is completed on the command line, and checked by whoever uses it."""

    name = "name"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        from ..learners import LEARNERS

        return [CompletionItem(name) for name in LEARNERS if name.startswith(incomplete)]


class ObjectiveName(click.ParamType[str]):
    """The name of an objective; the registry loads NumPy, so it is asked only where it is needed."""

    name = "objective"

    @property
    def choice(self) -> click.Choice[str]:
        from ..costs.objectives import OBJECTIVES

        return choice(*OBJECTIVES)

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        return self.choice.convert(value, param, ctx)

    def get_metavar(self, param: Any, ctx: Any) -> str | None:
        return self.choice.get_metavar(param, ctx)

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        return self.choice.shell_complete(ctx, param, incomplete)


class CostNumber(click.ParamType[float]):
    """A cost as a number; whoever gives a name there means the column of the costs."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        try:
            return float(value)
        except ValueError:
            option = param.opts[0]
            raise UsageError(
                f"{option} takes a number, not {value!r}\n"
                f"hint: for a column of costs use {option}-column COLUMN"
            ) from None


file_argument = click.argument("file", metavar="FILE", type=click.Path())
json_option = options("Output", "--json=as_json  Print one JSON object.")
run_options = options(
    "Runs",
    """
--runs N      Shuffle the rows N times.
--seed S      Seed of the random orders.  [0]
--order FILE  A text file with one permutation of the rows per line, counted from 1.
""",
    seed={"type": click.IntRange(0), "default": 0},
    order={"type": click.Path()},
)
COST_FIELDS = ("fn_cost", "fp_cost", "tp_cost", "tn_cost", "cost_columns")
OUTCOMES = {
    "fn": "a false negative (a miss).",
    "fp": "a false positive (a false alarm).",
    "tp": "a true positive; benefits are negative.  [0]",
    "tn": "a true negative.  [0]",
}
cost_options = options(
    "Costs",
    "".join(
        f"--{which}-cost NUMBER         Cost of {outcome}\n"
        f"--{which}-cost-column COLUMN  A column with that cost; --{which}-cost fills gaps.\n"
        for which, outcome in OUTCOMES.items()
    ),
    **{f"{which}_cost": {"type": CostNumber()} for which in OUTCOMES},
)
learner_option = options(
    "Model",
    f"--learner -l NAME  The learner; {LISTED}.  [{DEFAULT_LEARNER}]",
    learner={"type": LearnerName()},
)
set_option = options(
    "Model",
    f"--set=settings KEY=VALUE...  A hyper-parameter, such as eta=10; {LISTED}. May be repeated.",
)
learner_options = add(
    set_option,
    options(
        "Model",
        """
--objective                 Optimise the cost, or the weighted sum of sensitivity and specificity.
    [cost if a cost is given, else sum]
--half-life ROWS            For streams that change: rows after which an old row counts half.  [never]
--normalize                 Divide each row by its L2 norm, or not.  [l2]
--intercept/--no-intercept  Add a feature with value 1 to every row.  [no]
--alpha-p P                 Weight of sensitivity in the sum.  [0.5]
--max-features N            Maximum number of features; later ones are left out.  [limited by memory]
""",
        objective={"type": ObjectiveName()},
        half_life={"type": click.IntRange(1)},
        normalize={"type": choice("l2", "none")},
        intercept={"default": None},
        alpha_p={"type": float},
    ),
)
ratio_option = options(
    "Model",
    "--ratio  Class ratio for the sum: of the whole file, or of the rows so far.  [laplace]",
    ratio={"type": choice("known", "laplace")},
)


def several_learners(text: str) -> Declared:
    return options("Model", f"--learner=learners -l NAME...  {text}", learners={"type": LearnerName()})


@dataclass(frozen=True)
class ModelOptions:
    """What is to be learnt, and by whom."""

    learner: str | None = None
    settings: tuple[str, ...] = ()
    objective: str | None = None
    fn_cost: float | None = None
    fp_cost: float | None = None
    tp_cost: float | None = None
    tn_cost: float | None = None
    alpha_p: float | None = None
    half_life: int | None = None
    normalize: str | None = None
    intercept: bool | None = None
    max_features: int | None = None
    cost_columns: dict[str, CostColumn] = field(default_factory=dict)
    ratio: str | None = None

    def make_learner(self) -> Learner:
        return self.make_learners([self.learner or DEFAULT_LEARNER])[0]

    def make_learners(self, names: Iterable[str]) -> list[Learner]:
        """Learners with those of the hyper-parameters that they have; one at least must have each."""
        from ..learners import make_learner

        params = dict(self._setting(one) for one in self.settings)
        with usage():
            learners = [make_learner(name) for name in names]
            for key in params:
                if not any(key in learner.get_params() for learner in learners):
                    if len(learners) > 1:
                        raise UsageError(
                            f"none of the learners has a hyper-parameter {key!r}\nhint: {LISTED}"
                        )
                    learners[0].set_params(**{key: params[key]})  # raises an error
            for learner in learners:
                own = learner.get_params()
                learner.set_params(**{key: params[key] for key in params if key in own})
            if self.half_life is not None:
                self._let_forget(learners)
        return learners

    def _let_forget(self, learners: list[Learner]) -> None:
        if any(one.startswith("half_life=") for one in self.settings):
            raise excluded("--half-life", "--set half_life")
        forgetful = [learner for learner in learners if "half_life" in learner.get_params()]
        for learner in forgetful:
            learner.set_params(half_life=self.half_life)
        if self.kind.has_costs and not forgetful:
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
        raise UsageError(
            f"--set {text}: {value!r} is not a number, true, false or none\n"
            "hint: for example --set eta=10"
        )

    @property
    def kind(self) -> type[Objective]:
        """The objective that was named; else the cost if a cost was given, and the sum if none was."""
        from ..costs.objectives import AT_COSTS, DEFAULT, OBJECTIVES

        return OBJECTIVES[self.objective or (AT_COSTS if self.given_costs else DEFAULT)]

    @property
    def numbers(self) -> tuple[float | None, ...]:
        return self.fn_cost, self.fp_cost, self.tp_cost, self.tn_cost

    @property
    def given_costs(self) -> dict[str, float | CostColumn]:
        """The costs that are given, by their names: columns, or else numbers."""
        from ..costs.objective import COSTS

        given = {
            name: self.cost_columns.get(name, number)
            for name, number in zip(COSTS, self.numbers, strict=True)
        }
        return {name: one for name, one in given.items() if one is not None}

    @property
    def cost(self) -> Objective:
        """The objective at the costs that are given, and at those of the paper where none is."""
        from ..costs.objectives.cost import Cost

        self._check_costs()
        return self._made(self.kind if self.kind.has_costs else Cost)

    def costs_over(self, objective: Objective) -> Objective:
        """The objective of a model at the costs that are given; the rest are its own."""
        if not self.given_costs:
            return objective
        if not objective.has_costs:
            self._check_costs()
        return self._made(objective.with_costs)

    def _made(self, make: Callable[..., Objective]) -> Objective:
        with usage():
            return make(**self.given_costs)

    def _check_costs(self) -> None:
        """Raise an error if some costs are given, and one that a decision needs is not."""
        known = self.given_costs
        for name in ("fn_cost", "fp_cost"):
            if known and name not in known:
                missing = f"--{name.replace('_', '-')}"
                raise UsageError(
                    f"{missing} is missing: a decision needs the costs of a miss and of a false alarm"
                    f"\nhint: add {missing} NUMBER or {missing}-column COLUMN"
                )

    @property
    def costs(self) -> Costs:
        """What decisions are billed at, where rows have no costs of their own."""
        costs = self.cost.costs
        return costs if self.alpha_p is None else replace(costs, alpha_p=self.alpha_p)

    @property
    def for_making(self) -> list[str]:
        """The options given that belong to making a model, as they are written."""
        default = ModelOptions()
        names = [one.name for one in fields(self) if one.name not in COST_FIELDS]
        given = [name for name in names if getattr(self, name) != getattr(default, name)]
        return ["--set" if name == "settings" else f"--{name.replace('_', '-')}" for name in given]

    def make_objective(self, positives: int = 0, negatives: int = 0) -> Objective:
        """The objective; the counts are those of the whole file, for a ratio that is known."""
        cost, costs, kind = self.cost, self.costs, self.kind
        if kind.has_costs:
            return cost
        with usage(hint="\nhint: see --alpha-p"):
            plain = kind.of(costs, half_life=self.half_life)
        if self.ratio != "known":
            return plain
        if self.half_life is not None:
            raise excluded("--ratio known", "--half-life")
        if not (positives and negatives):
            raise CostreamError("all rows are of one class", "use --ratio laplace")
        return kind.of(costs, (positives, negatives))

    def make_model(self, learner: Learner, objective: Objective, **more: Any) -> OnlineClassifier:
        """An empty model."""
        from ..model.classifier import OnlineClassifier

        return OnlineClassifier(
            learner,
            objective,
            fit_intercept=bool(self.intercept),
            normalize=self.normalize != "none",
            max_features=self.max_features,
            **more,
        )


Options = TypeVar("Options", RowOptions, ModelOptions)


def collect(kind: type[Options], given: dict[str, Any]) -> Options:
    """Take the options of one kind out of all that were given."""
    return kind(**{item.name: given.pop(item.name) for item in fields(kind) if item.name in given})


def collect_both(given: dict[str, Any]) -> dict[str, Any]:
    """Put the options about rows and about the model in their places; costs of rows mean the cost."""
    rows, model = collect(RowOptions, given), collect(ModelOptions, given)
    rows = replace(rows, defaults=model.numbers)
    return {**given, "rows": rows, "options": replace(model, cost_columns=rows.cost_columns)}
