"""The interface: what each address is sent and what it answers."""

import pytest

from helpers.asked import asked, event, label, score
from helpers.commands import compiled_only

pytestmark = compiled_only
REPLAYED = "Idempotent-Replayed"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with asked(tmp_path_factory.mktemp("served") / "fraud") as client:
        yield client


def refused(answer, status):
    """The error of an answer that is one."""
    assert answer.status_code == status, answer.text
    assert answer.json().keys() == {"error", "hint"}
    return answer.json()["error"]


# --- events -----------------------------------------------------------------------------------------


def test_an_answer_has_the_decision_and_what_it_was_made_with(client):
    answer = score(client, "plain")
    assert answer.keys() - {"reasons"} == {"id", "flag", "score", "probability", "learnt", "model"}
    assert (answer["id"], answer["flag"]) == ("plain", answer["score"] >= 0.0)


def test_an_event_may_have_a_time_and_costs(client):
    costs = {"fn_cost": 900.0, "fp_cost": 2.5, "tp_cost": 1.0, "tn_cost": 0.5}
    score(client, "priced", time="2026-03-04T05:06:07Z", **costs)
    stored = client.get("/v1/events/priced").json()
    assert (stored["costs"], stored["time"]) == (costs, "2026-03-04T05:06:07Z")


def test_the_same_event_again_gets_the_same_answer(client):
    once = client.post("/v1/score", json=event("same"))
    label(client, "plain", 0)
    again = client.post("/v1/score", json=event("same"))
    assert again.json() == once.json()
    assert (REPLAYED in once.headers, again.headers[REPLAYED]) == (False, "true")


def test_an_event_is_compared_as_it_is_decoded(client):
    head = {"content-type": "application/json"}
    client.post("/v1/score", content=b'{"id":"decoded","features":{"a":"\xc3\xa9"}}', headers=head)
    body = b' {"features" : {"a": "\\u00e9"}, "id": "decoded", "time": null} '
    assert client.post("/v1/score", content=body, headers=head).headers[REPLAYED] == "true"


@pytest.mark.parametrize(
    "other",
    [
        {"features": {"country": "FR", "amount": 20.0}},
        {"features": {"amount": 20.5, "country": "FR"}},
        {"time": 1_800_000_000},
        {"fn_cost": 3.0},
    ],
    ids=["order of features", "features", "time", "costs"],
)
def test_the_same_id_with_another_event_is_refused(client, other):
    score(client, "taken")
    assert "another event" in refused(client.post("/v1/score", json=event("taken") | other), 409)


@pytest.mark.parametrize("name", ["a", "x" * 200, "é" * 100, "😀" * 50, " ", "a/b?c#d%", "\n", ".."])
def test_an_id_is_any_text_of_1_to_200_bytes(client, name):
    assert score(client, name)["id"] == name


@pytest.mark.parametrize("name", ["", "x" * 201, "é" * 101, "😀" * 51, "a\0b", 7, None])
def test_other_ids_are_refused(client, name):
    refused(client.post("/v1/score", json=event(name)), 422)
    refused(client.post("/v1/labels", json={"id": name, "label": 1}), 422)


# --- labels -----------------------------------------------------------------------------------------


def test_a_label_is_learnt_once(client):
    score(client, "twice")
    learnt = label(client, "twice")["learnt"]
    assert label(client, "twice") == {"id": "twice", "status": "duplicate", "learnt": learnt}


def test_a_revision_says_that_nothing_is_unlearnt(client):
    score(client, "revised")
    learnt = label(client, "revised", 1)["learnt"]
    again = label(client, "revised", 0)
    assert (again["status"], again["learnt"]) == ("revised", learnt)
    assert "what the model has learnt stays" in again["detail"]


def test_a_label_before_its_event_waits_for_it(client):
    early = client.post("/v1/labels", json={"id": "early", "label": 1})
    assert (early.status_code, early.json()["status"]) == (202, "unmatched")
    learnt = score(client, "early")["learnt"]
    assert client.get("/v1/events/early").json()["state"] == "labelled"
    assert label(client, "early") == {"id": "early", "status": "duplicate", "learnt": learnt + 1}


@pytest.mark.parametrize("value", [2, 0.5, "fraud", "", None, [1], {}])
def test_a_label_that_says_neither_side_is_refused(client, value):
    score(client, "unclear")
    refused(client.post("/v1/labels", json={"id": "unclear", "label": value}), 422)


# --- batches ----------------------------------------------------------------------------------------


def test_a_batch_of_events_has_an_answer_or_an_error_for_every_row(client):
    rows = [event("b1"), {"id": "b2"}, event("b1"), event("b1", time=5), 7, event("x" * 201)]
    found = client.post("/v1/score/batch", json={"events": rows}).json()["results"]
    assert [one.get("status", 200) for one in found] == [200, 422, 200, 409, 422, 422]
    assert all(one.keys() >= {"error", "hint", "status"} for one in found if "error" in one)
    assert found[2] == {**found[0], "replayed": True}
    assert [found[1]["id"], found[3]["id"]] == ["b2", "b1"]


def test_a_single_event_is_the_same_event_in_a_batch(client):
    once = score(client, "among")
    [again] = client.post("/v1/score/batch", json={"events": [event("among")]}).json()["results"]
    assert again == {**once, "replayed": True}


def test_a_batch_of_labels_has_an_answer_or_an_error_for_every_row(client):
    client.post("/v1/score/batch", json={"events": [event(f"l{at}") for at in range(3)]})
    rows = [("l0", 1), ("l1", 0), ("l0", 1), ("l0", 0), ("nobody", 1), ("l2", "?")]
    body = {"labels": [{"id": name, "label": value} for name, value in rows] + [{"id": "l2"}]}
    found = client.post("/v1/labels/batch", json=body).json()["results"]
    wanted = ["learnt", "learnt", "duplicate", "revised", "unmatched", 422, 422]
    assert [one["status"] for one in found] == wanted
    assert found[0].keys() == {"id", "status", "learnt"}


def test_a_batch_that_is_not_utf8_is_refused(client):
    for path, body in (
        ("/v1/score/batch", b'{"events":[{"id":"x\xff","features":{}}]}'),
        ("/v1/labels/batch", b'{"labels":[{"id":"x\xff","label":1}]}'),
    ):
        answer = client.post(path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 200
        assert answer.json()["results"][0]["status"] == 400


# --- reading ----------------------------------------------------------------------------------------


def test_an_event_is_stored_with_its_answer_and_its_labels(client):
    answer = score(client, "kept", time=1_800_000_000)
    label(client, "kept", 1, time="2027-01-16T00:00:00Z")
    stored = client.get("/v1/events/kept").json()
    assert stored.items() >= {**answer, "time": 1_800_000_000, "state": "labelled"}.items()
    assert stored["features"] == event("kept")["features"]
    [known] = stored["labels"]
    assert (known["kind"], known["positive"], known["label"]) == ("label", True, 1)


def test_an_event_that_never_came_is_not_found(client):
    assert "no event" in refused(client.get("/v1/events/nobody-else"), 404)


def test_health_says_live_and_ready(client):
    assert client.get("/health/live").json() == {"status": "live"}
    assert client.get("/health/ready").json() == {"status": "ready"}


def test_a_service_that_takes_nothing_is_live_but_not_ready(client, monkeypatch):
    monkeypatch.setattr(client.app.state.service, "is_ready", False)
    answer = client.get("/health/ready")
    refused(answer, 503)
    assert int(answer.headers["Retry-After"]) > 0
    assert client.get("/health/live").status_code == 200


# --- errors -----------------------------------------------------------------------------------------

JSON_HEAD = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/score", b""),
        ("/v1/score", b"{"),
        ("/v1/score", b'{"id":"x","features":{"a":NaN}}'),
        ("/v1/score", b'{"id":"\\ud800","features":{}}'),
        ("/v1/score", b'{"id":"x\xff","features":{}}'),
        ("/v1/score/batch", b'{"events":[{]}'),
        ("/v1/labels", b"\x1f\x8b\x08"),
    ],
    ids=["empty", "half", "NaN", "half a pair", "no UTF-8", "batch", "gzip"],
)
def test_what_is_not_json_is_refused(client, path, body):
    assert "not JSON" in refused(client.post(path, content=body, headers=JSON_HEAD), 400)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/score", {"id": "x"}),
        ("/v1/score", {"id": "x", "features": {}, "price": 5}),
        ("/v1/score", {"id": "x", "features": {}, "time": "yesterday"}),
        ("/v1/score", {"id": "x", "features": {}, "time": 1e300}),
        ("/v1/score", {"id": "x", "features": {}, "fn_cost": "5"}),
        ("/v1/score", {"id": "x", "features": {}, "tn_cost": -1e16}),
        ("/v1/score", {"id": "x", "features": {"a": 10**400}}),
        ("/v1/score?reasons=21", event("x")),
        ("/v1/score?reasons=1&reasons=1", event("x")),
        ("/v1/score?reason=1", event("x")),
        ("/v1/score/batch", {"events": []}),
        ("/v1/labels", {"id": "x", "label": 1, "time": "late"}),
        ("/v1/labels?reasons=3", {"id": "x", "label": 1}),
        ("/v1/labels/batch", {"labels": {}}),
    ],
)
def test_what_is_not_as_it_should_be_is_refused(client, path, body):
    refused(client.post(path, json=body), 422)


def test_a_body_that_is_nested_too_deeply_is_refused(client):
    body = b'{"id":"deep","features":{"a":' + b"[" * 5000 + b"]" * 5000 + b"}}"
    assert "too deeply" in refused(client.post("/v1/score", content=body, headers=JSON_HEAD), 422)


@pytest.mark.parametrize("path", ["/v1/summary?by=week", "/v1/summary?to=now", "/v1/stream?by=week"])
def test_an_unknown_parameter_is_refused(client, path):
    refused(client.get(path), 422)


@pytest.mark.parametrize("path", ["/nothing", "/v1/score/", "/v2/score", "/static/page.py"])
def test_an_unknown_address_is_refused(client, path):
    refused(client.get(path), 404)


def test_another_method_is_refused_with_those_that_are_taken(client):
    answer = client.request("PUT", "/v1/score", json=event("x"))
    refused(answer, 405)
    assert answer.headers["Allow"] == "POST"


def test_nothing_of_what_was_refused_is_kept(client):
    assert client.get("/v1/events/x").status_code == 404
