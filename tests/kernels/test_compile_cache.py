"""The compile cache saves time, and changes nothing else whatever its state."""

import hashlib
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import costream
from costream.kernels import compile as compiling
from costream.kernels import numba_internals
from costream.learners import LEARNERS
from helpers.streams import JIT_OFF

needs_jit = pytest.mark.skipif(JIT_OFF, reason="needs compiled kernels")

SCRIPT = """
from costream import OnlineClassifier
model = OnlineClassifier("cog-ii")
scores = model.prequential([[3.0, 4.0], [1.0, -2.0], [0.5, 0.1]], [1, -1, 1])
print([float(score).hex() for score in scores])
"""


def run(cache, *path):
    """What the script prints on standard output and standard error."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT],
        env={
            **os.environ,
            "COSTREAM_CACHE_DIR": str(cache),
            "PYTHONPATH": os.pathsep.join(map(str, path)),
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def entries(cache):
    """All machine code in a cache, and when it was written."""
    files = [file for file in sorted(cache.rglob("*")) if file.is_file()]
    return {file: file.stat().st_mtime_ns for file in files if file.parent.name != "sources"}


def is_whole(entry):
    """Whether an entry is what its checksum says."""
    content = entry.read_bytes()
    return hashlib.sha256(content[32:]).digest() == content[:32]


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A cache that one process has filled, and what it printed."""
    cache = tmp_path_factory.mktemp("cache")
    return cache, run(cache)


@pytest.fixture
def full(warm, tmp_path):
    """A copy of the cache to damage, the entry of the loop, and what is to be printed."""
    cache, printed = warm
    shutil.copytree(cache, tmp_path, dirs_exist_ok=True)
    (entry,) = tmp_path.rglob("*prequential*")
    return tmp_path, entry, printed


@needs_jit
def test_second_process_compiles_nothing(warm):
    cache, printed = warm
    before = entries(cache)
    assert run(cache) == printed
    assert entries(cache) == before


DAMAGES = {
    "truncated": lambda content: content[: len(content) // 2],
    "flipped": lambda content: content[:-100] + bytes([content[-100] ^ 1]) + content[-99:],
    "empty": lambda _: b"",
    "garbage": lambda _: b"\x80\x04garbage" * 1000,
}


@needs_jit
@pytest.mark.slow
@pytest.mark.parametrize("damage", ["truncated", "flipped"])
def test_damaged_entry_is_compiled_anew(full, damage):
    cache, entry, printed = full
    entry.write_bytes(DAMAGES[damage](entry.read_bytes()))
    assert not is_whole(entry)
    assert run(cache) == printed
    assert is_whole(entry)


@needs_jit
@pytest.mark.slow
def test_cache_that_cannot_be_written(warm, tmp_path):
    """The folder would lie below a file; so it cannot be made, whoever runs the test."""
    file = tmp_path / "file"
    file.write_text("no folder")
    assert run(file / "cache") == warm[1]


# ---------------------------------------- the folder


def folder_of(kernels):
    """The cache folder for a copy of the kernels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling, "HERE", kernels)
        return compiling.cache_folder.__wrapped__()


@pytest.fixture
def kernels(tmp_path):
    here = Path(compiling.__file__).parent
    return shutil.copytree(here, tmp_path / "kernels", ignore=shutil.ignore_patterns("__pycache__"))


def append(file, text):
    with file.open("a", encoding="utf-8") as source:
        source.write(text)


def test_same_sources_have_the_same_folder(kernels):
    assert folder_of(kernels) == folder_of(kernels)


@pytest.mark.parametrize("name", ["primitives.py", "rules.py", "records.py", "compile.py"])
def test_edited_code_has_another_folder(kernels, name):
    before = folder_of(kernels)
    append(kernels / name, "EDITED = 1\n")
    assert folder_of(kernels) != before


def test_an_edited_comment_has_the_same_folder(kernels):
    before = folder_of(kernels)
    append(kernels / "primitives.py", "# edited\n")
    assert folder_of(kernels) == before


def test_other_numba_has_another_folder(kernels, monkeypatch):
    before = folder_of(kernels)
    monkeypatch.setattr(numba, "__version__", "0.0")
    assert folder_of(kernels) != before


# ---------------------------------------- the rule in the key

AUTO = {"rule", "stacking", "decision", "lanes", "layout", "pausing", "rows", "trees", "__init__"}


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("cog-i", {"cog"}),
        ("perceptron", {"cog"}),
        ("ssacog-i", {"sketch", "sparse_sketch"}),
        ("carow-sketch", {"carow", "sketch"}),
        ("auto", AUTO | {"splines", "leaves", "linear", "fourier"}),
    ],
)
def test_the_key_of_an_entry_covers_the_files_of_its_rule(name, files):
    assert {file.stem for file in compiling.rule_files(LEARNERS[name].rule.record)} == files


def test_entries_of_two_rules_have_different_keys():
    digests = {compiling.rule_digest(learner.rule.record) for learner in LEARNERS.values()}
    assert len(digests) > 8


def test_machine_code_of_a_record_of_others_is_not_kept(cached, tmp_path):
    cached._record = dict
    cached.save_overload("signature", Compiled())
    assert load(cached) is None
    assert not entries(tmp_path)


def test_row_kernels_of_two_records_of_one_file_have_different_keys():
    """Their arguments are alike, and so are the files of their rules."""
    first, second = (LEARNERS[name].rule.record for name in ("pa-i", "cpa-pb"))
    files = [
        compiling.EntryCache(run, record)._file("signature", Codegen()) for record in (first, second)
    ]
    assert files[0] != files[1]


@needs_jit
@pytest.mark.slow
def test_an_edited_learner_is_compiled_anew_and_no_other(tmp_path):
    package = Path(costream.__file__).parent
    ignore = shutil.ignore_patterns("__pycache__")
    copied = shutil.copytree(package, tmp_path / "src" / "costream", ignore=ignore)
    cache = tmp_path / "cache"
    printed = run(cache, tmp_path / "src")
    before = entries(cache)
    append(copied / "learners" / "romma.py", "EDITED = 1\n")
    append(copied / "learners" / "base.py", "EDITED = 1\n")
    assert run(cache, tmp_path / "src") == printed
    assert entries(cache) == before
    append(copied / "learners" / "cog.py", "EDITED = 1\n")
    assert run(cache, tmp_path / "src") == printed
    assert len(entries(cache)) == len(before) + 1


VARIABLES = ("COSTREAM_CACHE_DIR", "NUMBA_CACHE_DIR", "LOCALAPPDATA", "XDG_CACHE_HOME")


@pytest.mark.parametrize(
    ("platform", "variables", "base"),
    [
        ("linux", {"COSTREAM_CACHE_DIR": "a", "NUMBA_CACHE_DIR": "b"}, "a"),
        ("linux", {"NUMBA_CACHE_DIR": "b", "XDG_CACHE_HOME": "c"}, "b"),
        ("linux", {"XDG_CACHE_HOME": "c"}, "c"),
        ("linux", {}, "~/.cache"),
        ("darwin", {}, "~/Library/Caches"),
        ("win32", {"LOCALAPPDATA": "d"}, "d"),
        ("win32", {}, "~/AppData/Local"),
    ],
)
def test_base_of_the_folder(monkeypatch, tmp_path, platform, variables, base):
    monkeypatch.chdir(tmp_path)
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    folder = compiling.cache_folder.__wrapped__()
    assert folder.parent == Path(base).expanduser() / "costream"


# ---------------------------------------- entries, with machine code that is none


class Codegen:
    def magic_tuple(self):
        return ("machine",)


class Context:
    def codegen(self):
        return Codegen()


class Compiled:
    codegen = Codegen()

    def _reduce(self):
        return "machine", "code"


@pytest.fixture
def cached(monkeypatch, tmp_path):
    """An empty cache of one function in a folder of its own."""
    monkeypatch.setattr(compiling, "cache_folder", lambda: tmp_path / "folder")
    monkeypatch.setattr(numba_internals.CompileResult, "_rebuild", lambda _, *parts: parts)
    return compiling.EntryCache(run)


def load(cached):
    return cached.load_overload("signature", Context())


def test_nothing_is_loaded_from_an_empty_cache(cached):
    assert load(cached) is None


def test_what_was_saved_is_loaded(cached):
    cached.save_overload("signature", Compiled())
    assert load(cached) == ("machine", "code")


def test_another_signature_is_another_entry(cached):
    cached.save_overload("another signature", Compiled())
    assert load(cached) is None


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_entry_is_not_loaded_but_deleted(cached, tmp_path, damage):
    cached.save_overload("signature", Compiled())
    (entry,) = entries(tmp_path)
    entry.write_bytes(DAMAGES[damage](entry.read_bytes() + bytes(100)))
    assert load(cached) is None
    assert not entry.exists()


def test_folder_that_cannot_be_made_is_no_error(cached, tmp_path):
    (tmp_path / "folder").write_text("no folder")
    cached.save_overload("signature", Compiled())
    assert load(cached) is None


def test_entry_that_cannot_be_written_leaves_nothing_behind(cached, tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "replace", refuse)
    cached.save_overload("signature", Compiled())
    assert not entries(tmp_path)


# ---------------------------------------- messages


class Terminal(io.StringIO):
    def isatty(self):
        return True


def prequential():
    """A function to be announced."""


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (None, "costream: compiling prequential, once per machine ...\n"),
        (dict, "costream: compiling prequential (dict), once per machine ...\n"),
    ],
)
def test_compiling_is_announced_on_a_terminal(monkeypatch, record, message):
    monkeypatch.setattr(sys, "stderr", Terminal())
    compiling.EntryCache(prequential)._announce(record)
    assert sys.stderr.getvalue() == message


def test_compiling_is_announced_to_whoever_asks_for_it(monkeypatch):
    message = []
    monkeypatch.setattr(compiling, "ANNOUNCE", message.append)
    compiling.EntryCache(prequential)._announce(None)
    assert message == ["costream: compiling prequential, once per machine ..."]


@pytest.mark.parametrize("stderr", [None, io.StringIO()])
def test_nothing_is_announced_elsewhere(monkeypatch, capfd, stderr):
    monkeypatch.setattr(sys, "stderr", stderr)
    compiling.EntryCache(run)._announce(None)
    assert not (stderr.getvalue() if stderr else capfd.readouterr().err)


def test_entry_names_the_folder():
    assert compiling.EntryCache(run).cache_path == str(compiling.cache_folder())
