"""A key that is given twice is refused wherever it stands: the last value must not win in silence."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costream.serve.http.handlers import colons_of_event, decode_event, repeated_key
from helpers.asked import asked, event
from helpers.commands import compiled_only

pytestmark = compiled_only
JSON_HEAD = {"content-type": "application/json"}
TWICE = {
    "top": '{"id": "a", "id": "b", "features": {}}',
    "features": '{"id": "a", "features": {"x": 1}, "features": {"y": 2}}',
    "in features": '{"id": "a", "features": {"x": 1, "y": 2, "x": 3}}',
    "same value": '{"id": "a", "features": {"x": 1, "x": 1}}',
    "nested": '{"id": "a", "features": {"x": {"y": 1, "y": 2}}}',
    "in a list": '{"id": "a", "features": {"x": [{"y": 1, "y": 2}]}}',
    "escaped": '{"id": "a", "features": {"x": 1, "\\u0078": 2}}',
    "escaped colon": '{"id": "a:\\u003a", "features": {"x": 1, "x": 2}}',
    "null": '{"id": "a", "time": null, "time": null, "features": {}}',
    "blank": '{"id" : "a", "features" : {"x" : 1, "x" : 2}}',
    "empty": '{"id": "a", "features": {"": 1, "": 2}}',
    "with a time": '{"id": "a", "time": "2026-01-01T12:30:00", "features": {"x": "1:2", "x": "1:2"}}',
}
ONCE = {
    "plain": '{"id": "a", "features": {"x": 1, "y": "z"}}',
    "colons": '{"id": "a:b", "time": "2026-01-01T12:30", "features": {"x:y": "http://z", "u": "::"}}',
    "escapes": '{"id": "a\\"b", "features": {"x": "\\":\\"", "y": "\\u003a"}}',
    "nulls": '{"id": "a", "time": null, "fn_cost": null, "features": {"x": null}}',
    "costs": '{"id": "a", "fn_cost": 1, "fp_cost": 2.5, "tp_cost": 0, "tn_cost": -1, "features": {}}',
    "nested": '{"id": "a", "features": {"x": {"y": 1}, "z": {"y": 1}, "y": [{"y": 1}, {"y": 2}]}}',
    "long number": '{"id": "a", "features": {"x": {"y": ' + "9" * 5000 + "}}}",
}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with asked(tmp_path_factory.mktemp("twice") / "fraud") as client:
        yield client


@pytest.mark.parametrize("body", TWICE.values(), ids=TWICE)
def test_an_event_with_a_key_twice_is_refused(client, body):
    answer = client.post("/v1/score", content=body, headers=JSON_HEAD)
    assert answer.status_code == 422
    assert "given twice" in answer.json()["error"]


@pytest.mark.parametrize("body", ONCE.values(), ids=ONCE)
def test_other_events_are_not(client, body):
    answer = client.post("/v1/score", content=body, headers=JSON_HEAD)
    assert "given twice" not in answer.text


@pytest.mark.parametrize(
    "body", ['{"id": "a", "label": 0, "label": 1}', '{"id": "a", "id": "b", "label": "x:y"}']
)
def test_a_label_with_a_key_twice_is_refused(client, body):
    answer = client.post("/v1/labels", content=body, headers=JSON_HEAD)
    assert answer.status_code == 422
    assert "given twice" in answer.json()["error"]


def test_a_row_of_a_batch_with_a_key_twice_is_refused_alone(client):
    rows = [json.dumps(event("good 1")), TWICE["in features"], json.dumps(event("good:2"))]
    body = '{"events": [' + ", ".join(rows) + "]}"
    answer = client.post("/v1/score/batch", content=body, headers=JSON_HEAD)
    results = answer.json()["results"]
    assert [one.get("status", 200) for one in results] == [200, 422, 200]
    assert ("given twice" in results[1]["error"], results[1]["id"]) == (True, "a")


def test_a_row_of_labels_with_a_key_twice_is_refused_alone(client):
    body = '{"labels": [{"id": "p", "label": 1}, {"id": "q", "label": 0, "label": 1}]}'
    results = client.post("/v1/labels/batch", content=body, headers=JSON_HEAD).json()["results"]
    assert [one["status"] for one in results] == ["unmatched", 422]


@pytest.mark.parametrize(
    "body",
    [
        '{"events": [%s], "events": [%s]}',
        '{"events": [%s], "event\\u0073": [%s]}',
        '{"events": [{"id": "x:y"}], "events": [%s]}',
    ],
)
def test_a_batch_that_is_given_twice_is_refused(client, body):
    row = json.dumps(event("twice"))
    text = body.replace("%s", row)
    answer = client.post("/v1/score/batch", content=text, headers=JSON_HEAD)
    assert (answer.status_code, "given twice" in answer.text) == (422, True)


keys = st.text(st.sampled_from('ab:\\"{,é '), max_size=3)
pairs = st.lists(st.tuples(keys, st.one_of(st.integers(), keys, st.none(), st.lists(keys))), max_size=6)


@given(pairs, st.booleans(), st.sampled_from([None, "12:30", 5]))
def test_the_short_cut_never_hides_a_key(found, ascii_only, time):
    inner = ", ".join(
        f"{json.dumps(key, ensure_ascii=ascii_only)}:{json.dumps(value, ensure_ascii=ascii_only)}"
        for key, value in found
    )
    body = f'{{"id":"a:b","time":{json.dumps(time)},"features":{{{inner}}}}}'.encode()
    names = [key for key, _ in found]
    is_twice = len(set(names)) < len(names)
    if is_twice:
        assert repeated_key(body, decode_event(body), colons_of_event) in names
    else:
        assert repeated_key(body, decode_event(body), colons_of_event) is None
