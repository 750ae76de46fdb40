"""No digit moves unseen: states, scores and results of the lab are those of tests/digests.json."""

import os

import pytest

from helpers import digests
from helpers.commands import compiled_only, costream
from helpers.digests import CASES, digest_of_case, digests_of_lab, known

KNOWN = known()


def test_every_case_has_a_digest():
    assert sorted(KNOWN["learners"]) == sorted(CASES)


@pytest.mark.parametrize("case", CASES)
def test_states_and_scores(case):
    assert digest_of_case(case) == KNOWN["learners"][case]


def test_one_bit_of_a_state_is_seen(monkeypatch):
    """What is hashed is the state, not the scores alone."""
    case = "cog-i default csr sum straight"
    monkeypatch.setattr(digests, "UNHASHED", {*digests.UNHASHED, "mu"})
    assert digest_of_case(case) != KNOWN["learners"][case]


@pytest.fixture(scope="module")
def whole_paper(tmp_path_factory):
    """All experiments of the paper on a sample of their rows."""
    if not os.environ.get("COSTREAM_DATA"):
        pytest.skip("NOT RUN: COSTREAM_DATA is not set")
    folder = tmp_path_factory.mktemp("lab")

    def run(*options):
        words = ("lab", "run", "all", "--quick", "--no-download", "--output", folder, *options)
        return costream(*words, timeout=900)

    first = run()
    assert first.returncode == 0, first.stderr
    return folder / "quick", run("--no-report")


@compiled_only
@pytest.mark.slow
def test_results_of_the_whole_paper(whole_paper):
    assert digests_of_lab(whole_paper[0]) == KNOWN["lab"]


@compiled_only
@pytest.mark.slow
def test_the_whole_paper_again_has_nothing_to_do(whole_paper):
    assert any(line.startswith("0 new trials") for line in whole_paper[1].stderr.splitlines())
