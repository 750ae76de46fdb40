"""What a fitted classifier of scikit-learn says of its columns: importances, or weights."""

import numpy as np
import pandas as pd
import pytest

from costream.sklearn import CostSensitiveClassifier

ROWS = 1500
RNG = np.random.default_rng(5)
X = RNG.normal(size=(ROWS, 5))
# The second column counts by its square: no linear view sees it. The third has no weight at all.
y = (2 * X[:, 0] + 2 * (X[:, 1] ** 2 - 1) + RNG.normal(size=ROWS) > 1.0).astype(int)


@pytest.fixture(scope="module")
def fitted():
    return CostSensitiveClassifier().fit(X, y)


def test_auto_has_importances_and_no_weights(fitted):
    assert not hasattr(fitted, "coef_")
    assert not hasattr(fitted, "intercept_")
    with pytest.raises(AttributeError, match="'auto' has no coef_; it has feature_importances_"):
        fitted.coef_  # noqa: B018


def test_importances_are_shares_of_all_views(fitted):
    found = fitted.feature_importances_
    assert found.shape == (5,)
    assert found.sum() == pytest.approx(1.0)
    assert (found >= 0.0).all()
    assert found[[0, 1]].min() > 3 * found[2:].max()


def test_a_column_of_a_table_has_one_importance_whatever_it_became():
    frame = pd.DataFrame(X[:, :2], columns=["a", "b b"])
    frame["city"] = RNG.choice(["Ulm", "Bern", "Rom"], ROWS)
    frame["shop"] = [f"s{k}" for k in RNG.integers(0, 300, ROWS)]
    frame.loc[::5, "b b"] = np.nan
    frame["17"] = RNG.normal(size=ROWS)
    labels = ((frame["city"] == "Ulm") & (frame["a"] > 0.0)).astype(int)
    adapter = CostSensitiveClassifier().fit(frame, labels)
    found = dict(zip(adapter.feature_names_in_, adapter.feature_importances_, strict=True))
    assert len(adapter.model_.feature_names) > len(found) == 5
    assert sum(found.values()) == pytest.approx(1.0)
    assert min(found["city"], found["a"]) > 3 * max(found["b b"], found["shop"], found["17"])
