"""Counts and costs over HTTP, by the day and hour of events; and the reasons that flags come with."""

import pytest

from helpers.asked import asked, label, score
from helpers.commands import compiled_only

pytestmark = compiled_only


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Four events on two days: the model knows nothing, and so flags what is dear to miss."""
    with asked(tmp_path_factory.mktemp("summary") / "fraud", "auto") as client:
        score(client, "dear", time="2026-05-01T10:20:00Z", fn_cost=100.0, fp_cost=5.0)
        score(client, "cheap", time="2026-05-01T13:00:00+02:00", fn_cost=1.0, fp_cost=50.0)
        score(client, "open", time="2026-05-01T11:59:59Z", fn_cost=100.0, fp_cost=5.0)
        score(client, "next", time="2026-05-02T00:00:00Z", fn_cost=100.0, fp_cost=5.0)
        for name, value in (("dear", 0), ("cheap", 1), ("next", 1)):
            label(client, name, value)
        yield client


@pytest.fixture(scope="module")
def by_day(client):
    return client.get("/v1/summary").json()


def test_events_count_on_their_own_day(by_day):
    found = [(one["start"], one["events"], one["labelled"]) for one in by_day["rows"]]
    assert found == [("2026-05-01T00:00:00Z", 3, 2), ("2026-05-02T00:00:00Z", 1, 1)]


def test_events_count_in_their_own_hour(client):
    rows = client.get("/v1/summary?by=hour").json()["rows"]
    assert [one["start"][8:13] for one in rows] == ["01T10", "01T11", "02T00"]
    assert [one["events"] for one in rows] == [1, 2, 1]


def test_the_cost_stands_against_flagging_nothing_and_everything(by_day):
    first = by_day["rows"][0]  # a false alarm of 5, a positive of 1 that was missed
    assert (first["cost"], first["flag_nothing"], first["flag_all"]) == (6.0, 1.0, 5.0)


def test_savings_are_the_part_of_the_avoidable_cost_that_was_avoided(by_day):
    assert [one["perfect"] for one in by_day["rows"]] == [0.0, 0.0]
    total = by_day["total"]
    constant = min(total["flag_nothing"], total["flag_all"])
    savings = (constant - total["cost"]) / (constant - total["perfect"])
    assert total["savings"] == pytest.approx(savings)
    assert by_day["rows"][1]["savings"] is None  # flagging everything was perfect


def test_the_sum_of_the_largest_costs_is_a_number(tmp_path):
    with asked(tmp_path / "fraud") as client:
        for name in "ab":
            score(client, name, fn_cost=1e12, fp_cost=1e12)
            label(client, name)
            label(client, name, 0)
        assert client.get("/v1/summary").json()["total"]["flag_all"] == 2e12


# --- reasons ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A model that has learnt that large amounts are bad."""
    with asked(tmp_path_factory.mktemp("why") / "fraud", "auto") as client:
        rows = [{"id": f"r{t}", "features": {"amount": 1.0 * t, "age": t % 5}} for t in range(400)]
        client.post("/v1/score/batch", json={"events": rows})
        labels = [{"id": one["id"], "label": one["features"]["amount"] > 300} for one in rows]
        client.post("/v1/labels/batch", json={"labels": labels})
        yield client


def ask(client, name, amount, query="", **costs):
    body = {"id": name, "features": {"amount": amount, "age": 1}, **costs}
    return client.post(f"/v1/score{query}", json=body).json()


def test_a_flag_comes_with_reasons(trained):
    answer = ask(trained, "bad", 390.0)
    assert answer["flag"]
    assert answer["reasons"][0].keys() == {"feature", "value", "usual", "effect"}
    assert (answer["reasons"][0]["feature"], answer["reasons"][0]["value"]) == ("amount", 390.0)


def test_as_many_reasons_come_as_are_asked_for(trained):
    answer = ask(trained, "one", 10.0, "?reasons=1", fn_cost=1.0, fp_cost=50.0)
    assert (answer["flag"], len(answer["reasons"])) == (False, 1)
