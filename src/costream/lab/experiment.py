"""An experiment as a small TOML file: data sets, learners, what to try, and what to show."""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Any

from ..errors import CostreamError
from ..evaluate.tally import Costs
from ..learners import LEARNERS, make_learner
from ..objective import Cost, Objective, Sum

KINDS = {
    "table": "every learner at its best setting, beside the printed number",
    "curves": "the metric over the rows so far",
    "sweep": "the metric against a hyper-parameter or a cost",
    "regret": "regret beside the bounds of the theorems",
    "calibration": "how true the probabilities are",
    "complexity": "time a row against the size of the problem",
}
WORDS = {"margin": ("ratio", "rho")}  # values that depend on the data


@dataclass(frozen=True)
class Aim:
    """A metric and its costs; ``ratio`` is "known" or "estimated"."""

    metric: str = "sum"
    alpha_p: float = 0.5
    fn_cost: float = 0.9
    fp_cost: float = 0.1
    ratio: str = "known"

    def __post_init__(self) -> None:
        if self.metric not in ("sum", "cost"):
            raise CostreamError(f"a metric is 'sum' or 'cost', not {self.metric!r}")
        if self.ratio not in ("known", "estimated"):
            raise CostreamError(f"ratio is 'known' or 'estimated', not {self.ratio!r}")
        self.objective(1, 1)

    @property
    def costs(self) -> Costs:
        return Costs(self.fn_cost, self.fp_cost, self.alpha_p)

    def objective(self, positives: int, negatives: int) -> Objective:
        if self.metric == "cost":
            return Cost(self.fn_cost, self.fp_cost)
        if self.ratio == "estimated":
            return Sum(self.alpha_p)
        return Sum.known(positives, negatives, self.alpha_p)


@dataclass(frozen=True)
class Candidate:
    """A learner under the name it is shown by, with the settings to try."""

    learner: str
    label: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, Any] = field(default_factory=dict)
    also: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # off the grid, by data set
    datasets: tuple[str, ...] = ()  # on these alone; empty: on all
    like: str = ""  # the candidate of the other experiment whose setting is used
    ratio: str = ""  # "estimated": other than the experiment's

    @property
    def name(self) -> str:
        return self.label or self.learner

    def settings(self) -> list[dict[str, Any]]:
        """Every combination on the grid, the fixed parameters among them."""
        axes = [values(axis) for axis in self.grid.values()]
        return [
            {**self.params, **dict(zip(self.grid, point, strict=True))}
            for point in itertools.product(*axes)
        ]

    def off_grid(self, dataset: str) -> list[dict[str, Any]]:
        """Settings that are tried only to see whether they come nearer to a printed number."""
        axes = self.also.get(dataset)
        return replace(self, grid={**self.grid, **axes}).settings() if axes else []

    def check(self) -> None:
        """Raise an error for a learner, a hyper-parameter or a value that does not exist."""
        tried = [setting for name in self.also for setting in self.off_grid(name)]
        for setting in self.settings() + tried:
            resolved(self.learner, setting, 1, 1)
        if self.ratio not in ("", "known", "estimated"):
            raise CostreamError(f"ratio of {self.name} is 'known' or 'estimated', not {self.ratio!r}")


def resolved(
    learner: str, setting: Mapping[str, Any], positives: int, negatives: int
) -> dict[str, Any]:
    """All hyper-parameters as numbers: those not set, and words such as "ratio" (T_n/T_p)."""
    found = {key: _number_for(key, value, positives, negatives) for key, value in setting.items()}
    return make_learner(learner, **found).get_params()


def _number_for(key: str, value: Any, positives: int, negatives: int) -> Any:
    if not isinstance(value, str):
        return value
    if value not in WORDS.get(key, ()):
        raise CostreamError(f"{key} must be a number, not {value!r}")
    return negatives / positives if value == "ratio" else None


def values(axis: Any) -> list[Any]:
    """The values of an axis: a list, or powers of ten as "1e-5..1e5".

    >>> values("1e-1..1e2")
    [0.1, 1.0, 10.0, 100.0]
    """
    if isinstance(axis, str):
        try:
            low, high = (round(math.log10(float(end))) for end in axis.split(".."))
        except ValueError:
            raise CostreamError(
                f"an axis is a list of values or like '1e-5..1e5', not {axis!r}"
            ) from None
        return [float(f"1e{n}") for n in range(low, high + 1)]
    if not isinstance(axis, list | tuple) or not axis:
        raise CostreamError(f"an axis is a list of values or like '1e-5..1e5', not {axis!r}")
    return list(axis)


@dataclass(frozen=True)
class Experiment:
    """What is to be run, and how it is shown."""

    name: str
    title: str
    kind: str = "table"
    note: str = ""
    printed: str = ""  # the table of the paper whose numbers stand beside ours
    datasets: tuple[str, ...] = ()
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # data sets of one's own
    substitutes: Mapping[str, list[str]] = field(default_factory=dict)
    aims: tuple[Aim, ...] = (Aim(),)
    costs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # of single data sets
    candidates: tuple[Candidate, ...] = ()
    tuned_in: str = ""  # the experiment that chose the settings
    without: tuple[str, ...] = ()  # learners of that experiment that are left out
    axis: Mapping[str, Any] = field(default_factory=dict)
    runs: Mapping[str, int] = field(default_factory=lambda: {"default": 20})
    tuning: Mapping[str, int] = field(default_factory=dict)  # runs on which a grid is searched
    folds: int = 0  # cross-validation instead of prequential runs
    rows: int = 0  # at most so many rows of each data set, evenly spread
    seed: int = 0
    quick: bool = False
    home: Path = Path()  # paths in the file are relative to this

    def runs_on(self, dataset: str) -> int:
        return self.runs.get(dataset, self.runs["default"])

    def tuning_on(self, dataset: str) -> int:
        """How many of the runs the grid is searched on."""
        default = self.tuning.get("default", self.runs_on(dataset))
        return min(self.tuning.get(dataset, default), self.runs_on(dataset))

    def on(self, dataset: str) -> list[Candidate]:
        """The candidates that run on a data set; a substitute is treated as what it stands for."""
        names = set(self.names_of(dataset))
        return [one for one in self.candidates if not one.datasets or names & set(one.datasets)]

    def names_of(self, dataset: str) -> list[str]:
        """The name of a data set, and those that it stands for."""
        return [dataset, *(name for name, others in self.substitutes.items() if dataset in others)]

    def with_costs(self, aim: Aim, dataset: str) -> Aim:
        """An aim at the costs of a data set, if it has its own."""
        for name in self.names_of(dataset):
            if name in self.costs and aim.metric == "cost":
                return replace(aim, **dict[str, Any](self.costs[name]))
        return aim

    def hastened(self) -> Experiment:
        """The same in seconds: two runs, a few values, a sample of the rows."""
        thin = [
            replace(one, also={}, grid={key: _thinned(values(axis)) for key, axis in one.grid.items()})
            for one in self.candidates
        ]
        axis = {key: _thinned(values(axis)) for key, axis in self.axis.items()}
        rows = min(self.rows or QUICK_ROWS, QUICK_ROWS)
        return replace(
            self,
            candidates=tuple(thin),
            axis=axis,
            runs={"default": 2},
            tuning={},
            rows=rows,
            quick=True,
        )


QUICK_ROWS = 1000


def _thinned(points: list[Any]) -> list[Any]:
    """At most four values, those in the middle and at even distances."""
    step = math.ceil(len(points) / 4)
    return points[len(points) // 2 % step :: step]


# --- reading ------------------------------------------------------------------------------------------


def read_experiment(path: Path) -> Experiment:
    """An experiment from a TOML file; an error says what is wrong in it."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CostreamError(f"{path}: cannot be read ({error})") from None
    return parse_experiment(text, path.stem, path.parent, str(path))


def parse_experiment(text: str, name: str, home: Path, where: str) -> Experiment:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CostreamError(f"{where}: {error}") from None
    try:
        return _experiment(table, name, home)
    except CostreamError as error:
        raise CostreamError(f"{where}: {error}") from None


def _experiment(table: dict[str, Any], name: str, home: Path) -> Experiment:
    table = dict(table)
    aims = _list(table.pop("objectives", ["sum"]), "objectives")
    candidates = [_candidate(one) for one in _list(table.pop("learners", []), "learners")]
    for key in ("runs", "tuning"):
        if key in table:
            table[key] = _counts(key, table[key])
    for key in ("datasets", "without"):
        table[key] = tuple(_list(table.get(key, []), key))
    _check_types(table)
    experiment: Experiment = _made(
        Experiment,
        {
            **table,
            "name": name,
            "home": home,
            "aims": tuple(_aim(one) for one in aims),
            "candidates": tuple(candidates),
        },
    )
    _check(experiment)
    return experiment


def _check(experiment: Experiment) -> None:
    if experiment.kind not in KINDS:
        raise CostreamError(f"unknown kind {experiment.kind!r}", f"use one of {', '.join(KINDS)}")
    if experiment.kind != "complexity" and not experiment.datasets:
        raise CostreamError("datasets are missing", 'name them: datasets = ["german"]')
    named = experiment.candidates or experiment.tuned_in
    if experiment.kind != "complexity" and not named:
        raise CostreamError("learners are missing", 'add [[learners]] with learner = "carow-diag"')
    if experiment.kind == "sweep" and len(experiment.axis) != 1:
        raise CostreamError("a sweep has one axis", 'add axis.eta = "1e-4..1e4"')
    if experiment.kind == "calibration":
        _check_calibration(experiment)
    for name, costs in experiment.costs.items():
        if not isinstance(costs, dict) or set(costs) != {"fn_cost", "fp_cost"}:
            raise CostreamError(f"costs.{name} needs fn_cost and fp_cost")
        experiment.with_costs(Aim("cost"), name)
    for name, options in experiment.files.items():
        unknown = set(options) - {"path", "positive", "label", "format"}
        if "path" not in options or unknown:
            raise CostreamError(
                f"files.{name} needs a path, and may have positive, label and format",
                f'files.{name} = {{path = "rows.csv", label = "fraud", positive = "1"}}',
            )
    names = [one.name for one in experiment.candidates]
    for name in names:
        if names.count(name) > 1:
            raise CostreamError(f"two learners are called {name!r}", "give each a label of its own")


def _check_calibration(experiment: Experiment) -> None:
    """Probabilities are those of single settings, in the course of a run."""
    for one in experiment.candidates:
        if not make_learner(one.learner).has_probabilities:
            raise CostreamError(f"{one.learner} has no probabilities", 'use learner = "auto"')
        if one.grid:
            raise CostreamError("calibration chooses no setting", f"give {one.name} params, not a grid")
    for key in ("axis", "tuned_in", "folds"):
        if getattr(experiment, key):
            raise CostreamError(f"calibration has no {key}", "leave it out")


def _candidate(table: Any) -> Candidate:
    if isinstance(table, str):
        table = {"learner": table}
    if not isinstance(table, dict) or table.get("learner") not in LEARNERS:
        known = table.get("learner") if isinstance(table, dict) else table
        close = get_close_matches(str(known), LEARNERS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(LEARNERS)}"
        raise CostreamError(f"unknown learner {known!r}", hint)
    candidate: Candidate = _made(
        Candidate, {**table, "datasets": tuple(_list(table.get("datasets", []), "datasets"))}
    )
    candidate.check()
    return candidate


def _aim(table: Any) -> Aim:
    return Aim(table) if isinstance(table, str) else _made(Aim, dict(table))


def _counts(key: str, value: Any) -> dict[str, int]:
    """A number of runs, for all data sets or for each."""
    counts = dict(value) if isinstance(value, dict) else {"default": value}
    if key == "runs":
        counts.setdefault("default", 20)
    for count in counts.values():
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise CostreamError(f"{key} must be whole numbers from 1 up, not {count!r}")
    return counts


def _list(value: Any, key: str) -> list[Any]:
    if not isinstance(value, list):
        raise CostreamError(f"{key} must be a list, not {value!r}")
    return value


def _check_types(table: Mapping[str, Any]) -> None:
    kinds: dict[str, type] = {
        "title": str, "kind": str, "note": str, "printed": str, "tuned_in": str, "folds": int,
        "rows": int, "seed": int, "axis": dict, "costs": dict, "substitutes": dict, "files": dict,
    }  # fmt: skip
    for key, kind in kinds.items():
        if key in table and (not isinstance(table[key], kind) or isinstance(table[key], bool)):
            raise CostreamError(f"{key} must be a {kind.__name__}, not {table[key]!r}")
    if "title" not in table:
        raise CostreamError("title is missing", 'add title = "..."')


def _made(kind: type[Any], table: Mapping[str, Any]) -> Any:
    """A record from a table, with an error for a key that it does not have."""
    known = {item.name for item in fields(kind)} - {"quick"}
    written = (known - {"name", "home", "aims", "candidates"}) | {"objectives", "learners"}
    for key in table:
        if key not in known:
            close = get_close_matches(key, written, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(sorted(written))}"
            raise CostreamError(f"unknown key {key!r}", hint)
    return kind(**table)


# --- finding ------------------------------------------------------------------------------------------


def paper_experiments() -> dict[str, Experiment]:
    """The experiments of the paper, by name, in its order."""
    folder = resources.files(__package__) / "paper"
    found = {}
    for item in sorted(folder.iterdir(), key=lambda item: _rank(item.name)):
        if item.name.endswith(".toml"):
            name = item.name.removesuffix(".toml")
            text = item.read_text(encoding="utf-8")
            found[name] = parse_experiment(text, name, Path(), item.name)
    return found


def _rank(name: str) -> tuple[int, int, str]:
    """Tables first, then figures, by number, then the rest."""
    stem = name.removesuffix(".toml")
    word = stem.rstrip("0123456789")
    order = {"table": 0, "figure": 1}
    return order.get(word, 2), int(stem[len(word) :] or 0), stem


def find_experiments(names: Iterable[str]) -> list[Experiment]:
    """Experiments of the paper by name ("all" for all), or TOML files."""
    known = paper_experiments()
    found: dict[str, Experiment] = {}
    for name in names:
        if name == "all":
            found |= known
        elif name in known:
            found[name] = known[name]
        elif name.endswith(".toml"):
            experiment = read_experiment(Path(name))
            if experiment.name in known:
                raise CostreamError(
                    f"{name}: {experiment.name} is an experiment of the paper", "rename the file"
                )
            found[experiment.name] = experiment
        else:
            close = get_close_matches(name, known, n=1)
            hint = (
                f"did you mean {close[0]!r}?" if close else "costream lab list shows those of the paper"
            )
            raise CostreamError(f"there is no experiment {name!r}", f"{hint}; a file ends in .toml")
    return _with_needed(found, known)


def _with_needed(found: Mapping[str, Experiment], known: Mapping[str, Experiment]) -> list[Experiment]:
    """The experiments, each after the one that chooses its settings, and by default its learners."""
    ordered: dict[str, Experiment] = {}

    def add(experiment: Experiment) -> None:
        if experiment.tuned_in:
            needed = found.get(experiment.tuned_in) or known.get(experiment.tuned_in)
            if needed is None or needed.tuned_in:
                raise CostreamError(
                    f"{experiment.name}: there is no experiment {experiment.tuned_in!r} to take "
                    "settings from"
                )
            add(needed)
            same = tuple(
                replace(one, grid={}, also={})
                for one in needed.candidates
                if one.name not in experiment.without
            )
            experiment = replace(experiment, candidates=experiment.candidates or same)
        ordered.setdefault(experiment.name, experiment)

    for experiment in found.values():
        add(experiment)
    return list(ordered.values())
