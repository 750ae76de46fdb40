"""``costream compile`` leaves nothing to be compiled by later commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from costream.serve import Client
from helpers.commands import compiled_only, costream, fail, succeed
from helpers.processes import running

pytestmark = [compiled_only, pytest.mark.slow]
COSTS = ("--fn-cost", 9, "--fp-cost", 1)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A compile cache that the command has filled."""
    folder = tmp_path_factory.mktemp("compiled")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COSTREAM_CACHE_DIR", str(folder))
        done = costream("compile", "carow-diag")
    assert done.returncode == 0
    assert "compiled carow-diag, for files" in done.stderr
    return folder


def kept(cache: Path) -> list[Path]:
    return sorted(one for one in cache.rglob("*") if one.is_file() and "sources" not in one.parts)


def test_commands_find_all_of_it(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSTREAM_CACHE_DIR", str(cache))
    before = kept(cache)
    rows = "".join(f"{n % 7},{n / 3},w{n % 4},{n % 2}\n" for n in range(300))
    (tmp_path / "t.csv").write_text(f"a,b,c,y\n{rows}", encoding="utf-8")
    model = tmp_path / "m.costream"
    succeed("train", tmp_path / "t.csv", "--label", "y", "-l", "carow-diag", *COSTS, "-o", model)
    succeed("score", tmp_path / "t.csv", "-m", model)
    succeed("evaluate", tmp_path / "t.csv", "--label", "y", "-l", "carow-diag", *COSTS)
    assert kept(cache) == before


def test_a_service_finds_all_of_it(cache: Path, tmp_path: Path) -> None:
    before = kept(cache)
    environment = {"COSTREAM_CACHE_DIR": str(cache)}
    options = ("-l", "carow-diag", *COSTS)
    with running(tmp_path / "fraud", *options, environment=environment) as process:
        with Client(process.ready()) as client:
            client.score("a", {"amount": 1.0, "country": "FR"}, fn_cost=20.0)
            client.label("a", True)
            client.score_many([{"id": f"e{n}", "features": {"amount": n}} for n in range(100)])
            client.label_many([{"id": f"e{n}", "label": n % 2} for n in range(100)])
        process.stop()
    assert kept(cache) == before


def test_an_unknown_learner_is_named_before_anything_is_compiled() -> None:
    assert "did you mean 'carow'?" in fail(1, "compile", "auto", "carrow")
