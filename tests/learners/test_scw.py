"""SCW where its formulas are hard on floats."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from costream import OnlineClassifier
from costream.learners import make_learner
from costream.learners.scw import gain_of

SCW = ["scw-i", "scw-ii", "scw-i-diag", "scw-ii-diag"]


@pytest.mark.parametrize(("alpha", "v"), [(0.5, 0.7), (100.0, 0.1), (1e6, 0.01), (1e9, 0.5)])
def test_the_gain_has_all_its_digits(alpha, v):
    phi = 0.6744897501960817
    with localcontext() as context:
        context.prec = 60
        a, b, c = Decimal(alpha), Decimal(v), Decimal(phi)
        root = (((a * b * c) ** 2 + 4 * b).sqrt() - a * b * c) / 2
        exact = float(a * c / root)
    assert gain_of(alpha, v, phi) == pytest.approx(exact, rel=1e-14)


@pytest.mark.parametrize("name", SCW)
def test_a_row_whose_variance_overflows_is_not_learnt(name):
    model = OnlineClassifier(name, normalize=False)
    model.learn_one({"a": 1e160, "b": 1.0}, 1)
    assert not model.coef_.any()
    model.learn_one({"a": 1.0, "b": 2.0}, 1)
    assert np.isfinite(model.coef_).all()
    assert model.coef_.all()


@pytest.mark.parametrize("name", SCW)
def test_any_cost_keeps_the_model_finite(name):
    model = OnlineClassifier(make_learner(name, C=1e10), "cost")
    for n in range(50):
        model.learn_one({"a": 1.0, "b": n % 3 - 1.0}, n % 2, fn_cost=1e12)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.variance_one({"a": 1.0}))
