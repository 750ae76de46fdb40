"""Experiments as small TOML files: those of the paper, found by name, and a user's own."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Any

from ..errors import CostreamError, no_file
from ..learners import make_learner
from .experiment import Candidate, Experiment, Metric
from .kinds import KINDS


def read_experiment(path: Path) -> Experiment:
    """An experiment from a TOML file; an error names what is wrong in it."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise no_file(path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise CostreamError(f"{path} cannot be read ({error})", "name a TOML file") from None
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
    metrics = _list(table.pop("metrics", ["sum"]), "metrics")
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
            "metrics": tuple(_metric(one) for one in metrics),
            "candidates": tuple(candidates),
        },
    )
    _check(experiment)
    return experiment


def _check(experiment: Experiment) -> None:
    if experiment.kind not in KINDS:
        raise CostreamError(f"unknown kind {experiment.kind!r}", f"use one of {', '.join(KINDS)}")
    KINDS[experiment.kind].check(experiment)
    for name, costs in experiment.costs.items():
        if not isinstance(costs, dict) or set(costs) != {"fn_cost", "fp_cost"}:
            raise CostreamError(f"costs.{name} needs fn_cost and fp_cost")
        experiment.with_costs(Metric("cost"), name)
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
            raise CostreamError(f"two learners are called {name!r}", "give each its own label")


def _candidate(table: Any) -> Candidate:
    if isinstance(table, str):
        table = {"learner": table}
    named: Any = table.get("learner") if isinstance(table, dict) else table
    make_learner(named)  # raises an error for an unknown name
    candidate: Candidate = _made(
        Candidate, {**table, "datasets": tuple(_list(table.get("datasets", []), "datasets"))}
    )
    candidate.check()
    return candidate


def _metric(table: Any) -> Metric:
    return Metric(table) if isinstance(table, str) else _made(Metric, dict(table))


def _counts(key: str, value: Any) -> dict[str, int]:
    """A number of runs, for all data sets or for each."""
    counts = dict(value) if isinstance(value, dict) else {"default": value}
    if key == "runs":
        counts.setdefault("default", 20)
    for count in counts.values():
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise CostreamError(f"{key} must be whole numbers, at least 1, not {count!r}")
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
    known = {item.name for item in fields(kind)} - {"is_quick"}
    written = (known - {"name", "home", "candidates"}) | {"learners"}
    for key in table:
        if key not in known:
            close = get_close_matches(key, written, n=1)
            hint = (
                f"did you mean {close[0]!r}?" if close else f"use one of {', '.join(sorted(written))}"
            )
            raise CostreamError(f"unknown key {key!r}", hint)
    return kind(**table)


# --- finding ------------------------------------------------------------------------------------------


def paper_experiments() -> dict[str, Experiment]:
    """The experiments of the paper, by name, in its order."""
    folder = resources.files(__package__) / "paper" / "experiments"
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
            names = "`costream lab list` lists them; an experiment of your own is a .toml file"
            hint = f"did you mean {close[0]!r}?" if close else names
            raise CostreamError(f"there is no experiment {name!r}", hint)
    return _with_needed(found, known)


def _with_needed(found: Mapping[str, Experiment], known: Mapping[str, Experiment]) -> list[Experiment]:
    """The experiments, each after the one that chooses its settings, and by default its learners."""
    ordered: dict[str, Experiment] = {}

    def add(experiment: Experiment) -> None:
        if experiment.tuned_in:
            needed = found.get(experiment.tuned_in) or known.get(experiment.tuned_in)
            if needed is None or needed.tuned_in:
                raise CostreamError(
                    f"{experiment.name}: there is no experiment {experiment.tuned_in!r} whose "
                    "settings could be used"
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
