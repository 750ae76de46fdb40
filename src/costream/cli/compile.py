"""``costream compile``: fill the compile cache, so that nobody waits for it later."""

from __future__ import annotations

import csv
import io
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path

from ..costs.objectives.cost import Cost
from ..costs.objectives.weighted_accuracy import WeightedAccuracy
from ..errors import CostreamError
from ..kernels.compile import cache_base, cache_folder
from ..learners import make_learner
from ..model.classifier import OnlineClassifier
from ..serve.engine.warm import rows, warm_up
from .options import DEFAULT_LEARNER
from .terminal import notify


def run(learners: tuple[str, ...]) -> int:
    """Compile all that learners need for files, for Python and for the service."""
    names = learners or (DEFAULT_LEARNER,)
    for name in names:
        make_learner(name)  # a name that is wrong is found before anything is done
    _check_writable()
    for name in names:
        _step(f"{name}, for the live service and single rows", partial(_service, name))
        _step(f"{name}, for files", partial(_files, name))
    files = [one for one in cache_folder().iterdir() if one.is_file()]
    size = sum(one.stat().st_size for one in files) / 1e6
    notify(f"{len(files)} files, {size:.1f} MB, in {cache_base()}")
    return 0


def _step(what: str, work: Callable[[], None]) -> None:
    began = time.perf_counter()
    work()
    notify(f"compiled {what}: {time.perf_counter() - began:.1f} s")


def _check_writable() -> None:
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise CostreamError(
            f"the compile cache {folder} cannot be written: {error.strerror}",
            "set COSTREAM_CACHE_DIR to a folder that can be",
        ) from None


def _service(name: str) -> None:
    for objective in (Cost(10.0, 1.0), WeightedAccuracy()):
        warm_up(OnlineClassifier(name, objective))


def _files(name: str) -> None:
    """Run the commands themselves on small files of each kind."""
    from .app import app

    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model.costream")
        for file, options in _written(Path(folder)):
            costs = [*options, "--fn-cost", "10", "--fp-cost", "1"]
            for command in (
                ["train", file, "-l", name, "-o", model, *costs],
                ["score", file, "-m", model],
                ["evaluate", file, "-l", name, *costs],
            ):
                with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                    app.main(command, standalone_mode=False)


def _written(folder: Path) -> list[tuple[str, list[str]]]:
    """A table with columns of all kinds, one of numbers, and LIBSVM text; and how each is read."""
    found = [{**row, "tags": "", "label": int(n % 3 == 0)} for n, row in enumerate(rows())]
    numbers = [[row["number"], row["small"], row["label"]] for row in found]
    text = "".join(f"{label} 1:{a} 2:{b}\n" for a, b, label in numbers)
    (folder / "rows.libsvm").write_text(text, encoding="utf-8")
    with open(folder / "table.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(found[0]))
        writer.writeheader()
        writer.writerows(found)
    with open(folder / "numbers.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["a", "b", "label"], *numbers])
    return [
        (str(folder / "table.csv"), ["--label", "label"]),
        (str(folder / "numbers.csv"), ["--label", "label"]),
        (str(folder / "rows.libsvm"), []),
    ]
