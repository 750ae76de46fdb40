"""The fingerprint of a served model is of what decides its bits, and of nothing else."""

import shutil

import pytest

from costream._sources import ROOT, digest_of, files_behind
from costream.serve.engine.fingerprint import deciding_files, fingerprint

# What a model imports and is not hashed, besides the readers of files, which a service does not use:
# words and types; how labels are written, since the log has what each was taken for;
# and what adds up costs.
OUTSIDE = {
    *("_files.py", "_html.py", "_sources.py", "_typing.py", "errors.py"),
    *("labels/__init__.py", "labels/labels.py", "labels/parsing.py"),
    *("costs/metrics.py", "costs/tally.py"),
}
EDIT = "\nEDITED = True\n"
DECIDES = [
    "kernels/__init__.py",
    "learners/__init__.py",
    "learners/carow.py",
    "learners/auto/__init__.py",
    "tables/__init__.py",
    "costs/__init__.py",
    "costs/learning.py",
    "costs/objectives/cost.py",
    "model/__init__.py",
    "model/explanations.py",
    "serve/engine/served_model.py",
]
DECIDES_NOTHING = [
    "metrics.py",
    "costs/metrics.py",
    "costs/policies.py",
    "costs/running.py",
    "costs/tally.py",
    "errors.py",
    "evaluation/__init__.py",
    "report/__init__.py",
    "cli/serve.py",
    "sklearn/__init__.py",
    "serve/endpoints.py",
    "serve/messages.py",
    "serve/http/handlers.py",
    "serve/http/metrics.py",
    "serve/page/render.py",
    "serve/storage/log.py",
    "serve/engine/service.py",
    "serve/engine/upkeep.py",
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The sources of the package, to be edited."""
    to = tmp_path_factory.mktemp("sources") / "costream"
    return shutil.copytree(ROOT, to, ignore=shutil.ignore_patterns("__pycache__", "data"))


def edited(copy, name, text=EDIT):
    """The hash of the copy while a file of it is edited."""
    file = copy / name
    before = file.read_text(encoding="utf-8")
    file.write_text(before + text, encoding="utf-8")
    try:
        return digest_of(deciding_files(copy))
    finally:
        file.write_text(before, encoding="utf-8")


@pytest.mark.parametrize("name", DECIDES)
def test_an_edit_of_what_decides_the_bits_changes_it(copy, name):
    assert edited(copy, name) != digest_of(deciding_files())


@pytest.mark.parametrize("name", DECIDES_NOTHING)
def test_an_edit_of_anything_else_does_not(copy, name):
    assert edited(copy, name) == digest_of(deciding_files())


def test_a_comment_does_not_change_it(copy):
    assert edited(copy, "model/core.py", "\n# another comment\n") == digest_of(deciding_files())


def test_all_that_a_model_imports_is_hashed_or_known_to_decide_nothing():
    behind = {*files_behind("costream.model.batches"), *files_behind("costream.model.classifier")}
    others = {one.relative_to(ROOT).as_posix() for one in behind - {*deciding_files()}}
    assert {one for one in others if not one.startswith("files/")} == OUTSIDE


def test_it_names_the_code():
    assert digest_of(deciding_files())[:12] in fingerprint()
