"""Where does the untuned default stand beside rivals that are tuned in hindsight?

    python benchmarks/quality.py [--only DATASET ...] [--rivals vw,sgd,...] [--runs 5] [--jobs 2]
                                 [--quick] [--auto-only]

Every row is scored before it is learnt, in the same random orders for all. ``sum`` is half
sensitivity and half specificity, in %; ``cost`` is 0.9 a missed positive and 0.1 a false alarm. The
members of `auto` were chosen on these data sets; `aside.py` has others. They are found through
COSTREAM_DATA or among those downloaded before; kdd99 is taken as its file has it, not scaled.

auto      `OnlineClassifier("auto", objective)`: nothing tuned, rows as they come, class ratio
          estimated.
vw        Vowpal Wabbit, hinge and logistic loss, its adaptive updates at seven learning rates (three
          above 100,000 rows) and ``--coin``; rows divided by their L2 norm, as they come, and (up to
          400 features) standardised by their running mean and deviation; then ``--l2`` 1e-6 to 1e-3 at
          the three best in the first order (above 100,000 rows at the best; ``--coin`` has no such
          penalty).
sgd       scikit-learn's SGDClassifier, hinge and log loss, five constant rates and "optimal", rows
          divided by their L2 norm or (up to 400 features) standardised as above. One row at a time
          through ``partial_fit`` takes 300 us and more, so its update is compiled here; for every
          setting the first scores are compared with those of SGDClassifier itself.
river     River's LogisticRegression behind its StandardScaler, four rates of SGD. Beyond 400 features
          rows are divided by their L2 norm instead of scaled.
forest    River's ARFClassifier, 10 trees; up to 1,000 columns, the first 20,000 rows, 3 orders.
          Decides by its probabilities, or by majority: the better one counts.
lightgbm  LightGBM in one thread, fitted on all rows so far after 50 rows (or as soon as both classes
          have been seen, if that is later) and whenever they have grown by half; three settings: its
          defaults; 300 trees, 63 leaves, rate 0.05; 200 trees, 15 leaves, rate 0.05, lambda_l2 5,
          rows and columns subsampled at 0.8. Decides by its probabilities; before the first fit by
          the constant policy that would have been cheaper so far. 3 orders beyond 400 features.
ours      every other learner of costream over its grid from 1e-5 to 1e5: eta or C first, then gamma
          at the eta that was best; all in the first order alone, the best of each learner in all.
          Not a rival: what tuning would give. What is left out is stored.

A probability decides by the Bayes rule at the costs (cost), or is compared with the rate of positives
in the rows before (sum). vw, sgd, river and ours know the ratio of classes of the whole stream: a
positive row weighs T_n/T_p (sum) or 9 (cost). The best setting of each is taken in hindsight: below
10,000 rows by all orders; above, all settings run in the first two orders (above 100,000 rows in one,
and there are 3 orders), and the best of them in all. Where a rival reads fewer rows or orders,
it is compared with auto on the same ones.

A lead is in points (sum) or in % of the rival's cost (cost); its error is the standard error of the
mean over orders, paired. The paper's numbers are its best printed ones, tuned in hindsight as well.
Rows a second are for one core: rows over CPU seconds of one thread (Vowpal Wabbit: of its two threads
together, from text to predictions), what standardising takes included.

Results go to benchmarks/results/quality.json after every data set. ``--quick`` takes two orders,
fewer rates and 1,000 rows for River, and stores nothing. ``--auto-only`` runs `auto` again, in the
orders of the stored results, and keeps those of its rivals.
"""

from __future__ import annotations

import contest
from rivals import RIVALS

from costream.datasets import catalogue
from costream.datasets.dataset import Dataset, load_dataset
from costream.files.reader import Stream
from costream.lab.paper.printed import printed_rows
from costream.labels.labels import parsed_labels

NAMES = (  # the longest first, so that no one waits for the last
    *("covtype", "covtype-36", "covtype-4", "sector", "news20", "usps", "a9a", "kdd99", "ijcnn1"),
    *("magic04", "protein-val", "mushrooms", "dna", "sensorless2200", "german", "australian"),
)


def load(name: str) -> tuple[Dataset, ...]:
    """A data set by name; kdd99 without the scaling of the catalogue."""
    entry = catalogue.entry(name)
    paths = catalogue.locate(entry, None) if name == "kdd99" else None
    if paths is None:
        return (catalogue.load(name, download=False),)
    with Stream(paths[0], format="libsvm") as stream:
        return (load_dataset(stream, parsed_labels(entry.positive), str(paths[0]))[0],)


def with_paper(name: str, record: contest.Record) -> contest.Record:
    """The record with the best number that the paper prints, if it prints any."""
    title = catalogue.entry(name).title
    for metric, cell in record["metrics"].items():
        rows = {
            learner: row
            for table in ("table2", "table5", "table6", "table8")
            for (dataset, kind, learner), row in printed_rows(table).items()
            if (dataset, kind) == (title, metric)
        }
        if rows:
            board = contest.Board(metric)
            board.auto = cell["auto"]["values"]
            best = max(rows, key=lambda one: board.sign * rows[one].value)
            unit = 100.0 if metric == "sum" else 1.0
            error = (rows[best].value_std or 0.0) / rows[best].runs ** 0.5
            cell["rivals"]["paper"] = board.fixed(best, unit * rows[best].value, unit * error)
    return record


if __name__ == "__main__":
    contest.run_all("quality", load, contest.options(__doc__, NAMES, list(RIVALS)), with_paper)
