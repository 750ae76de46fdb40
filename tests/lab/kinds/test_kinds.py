"""The kinds of experiments: one file each, and nobody else decides by the kind."""

from __future__ import annotations

import ast
from importlib import resources
from pathlib import Path

import pytest

from costream.errors import CostreamError
from costream.lab.kinds import KINDS
from costream.lab.reading import paper_experiments
from helpers.experiments import MINE, mine

ROOT = Path(str(resources.files("costream")))


def test_every_kind_has_its_file() -> None:
    files = {path.stem for path in (ROOT / "lab" / "kinds").glob("*.py")}
    assert files - {"__init__", "base"} == set(KINDS)


def test_the_paper_has_experiments_of_every_kind() -> None:
    assert {one.kind for one in paper_experiments().values()} == set(KINDS)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if KINDS[kind].needs_data])
@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (('datasets = ["rows"]', ""), "datasets are missing"),
        (("[[learners]]", "[[others]]"), "learners are missing|unknown key 'others'"),
    ],
)
def test_kinds_that_need_data_name_them_and_learners(
    tmp_path: Path, kind: str, change: tuple[str, str], complaint: str
) -> None:
    text = MINE.replace("runs = 3", f'runs = 3\nkind = "{kind}"').replace(*change)
    with pytest.raises(CostreamError, match=complaint):
        mine(tmp_path, text)


def names_in(node: ast.AST) -> set[str]:
    return {
        one.attr if isinstance(one, ast.Attribute) else one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute | ast.Name)
    }


@pytest.mark.parametrize("folder", ["lab", "cli"])
def test_nobody_compares_the_kind_of_an_experiment(folder: str) -> None:
    """What differs between kinds is a method or an attribute of the kind."""
    found = [
        f"{path.name}:{node.lineno}"
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Compare)
        and "kind" in names_in(node)
        and set(KINDS) & {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}
    ]
    assert found == []
