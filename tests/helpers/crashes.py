"""A real service that is killed again and again while clients go on, each with a history of its own.

A client keeps what was acknowledged and nothing else. Whatever is not answered is sent again as it was,
as often as it takes, so that after the last start all that was sent is acknowledged.
`helpers.histories` compares this with the records of the directory.
"""

from __future__ import annotations

import itertools
import random
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from costream import OnlineClassifier
from costream.serve import Answer, Client, LabelAnswer, Problem, ServiceError
from costream.serve.engine.engine import Engine
from helpers.dying_service import UNLEARNABLE
from helpers.engines import fresh
from helpers.processes import PATIENCE, Process

T = TypeVar("T")
AGAIN = 0.3  # of all requests are sent twice
ODD = 600  # labels that wait for their events, and then cannot be learnt


def trained() -> OnlineClassifier:
    """A model that has learnt a little, so that it takes snapshots up from the beginning.

    One that begins with nothing learns its first labels again at every start.
    """
    model = fresh()
    for amount in (120.0, 300.0, 180.0):
        model.learn_one({"amount": amount, "night": True}, True)
    return model


def crashed(engine: Engine) -> None:
    """Leave the directory of an engine as a crash of its process leaves it: no last snapshot."""
    engine.log.close()
    engine._lock.release()


class World:
    """What clients share: where the service is, what it has promised, and what events look like."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.url: str | None = None
        self.stopping = threading.Event()
        self.gone = threading.Event()  # no service will ever answer again
        self.learnt = 0  # the most labels in an answer
        self.odd_wanted = False
        self._odd = iter(range(ODD))
        self._shared = itertools.count()
        self._lock = threading.Lock()

    def heard(self, learnt: int) -> None:
        with self._lock:
            self.learnt = max(self.learnt, learnt)

    def shared(self) -> str:
        """An id that several clients send at about the same time."""
        with self._lock:
            return f"shared-{next(self._shared) // 6}"

    def odd(self) -> str | None:
        with self._lock:
            found = next(self._odd, None)
        return None if found is None else f"odd-{found}"

    def event(self, name: str) -> dict[str, Any]:
        """The event of an id, the same whoever sends it: text and numbers, own costs or none.

        Costs are multiples of a quarter, so that sums of them are exact in any order.
        """
        chance = random.Random(f"{self.seed} {name}")
        amount = round(chance.expovariate(0.02), 2)
        features: dict[str, Any] = {
            "amount": amount,
            "country": chance.choice(["FR", "DE", "PL", "é <b>"]),
            "night": chance.random() < 0.3,
            f"shop {chance.randrange(40)}": 1.0,
        }
        if chance.random() < 0.1:  # features that nobody has seen before
            features[f"new {name}"] = chance.choice([1.0, -2.5, "text"])
        if chance.random() < 0.1:
            features["amount"] = None
        if name.startswith("odd"):
            features[UNLEARNABLE] = 1.0
        event: dict[str, Any] = {"id": name, "features": features}
        if chance.random() < 0.4:
            event["fn_cost"] = int(amount * 4) / 4 + 0.25
        if chance.random() < 0.1:
            event["fp_cost"], event["tp_cost"] = 2.5, 0.5
        if chance.random() < 0.5:
            event["time"] = 1_790_000_000 + chance.randrange(10 * 3600)
        return event

    def truth(self, name: str) -> bool:
        features = self.event(name)["features"]
        return (features["amount"] or 0.0) > 100.0 or (features["night"] and "shop 7" in features)


class Sender(threading.Thread):
    """A client that sends events and labels at random, and remembers what was acknowledged."""

    def __init__(self, world: World, number: int) -> None:
        super().__init__(name=f"client-{number}")
        self.world = world
        self.chance = random.Random(f"{world.seed} client {number}")
        self.answers: list[Answer] = []
        self.labels: list[tuple[bool, LabelAnswer]] = []  # with the value that was acknowledged
        self.wrong: list[str] = []  # what must not be, whatever the records say
        self.again = 0  # requests that got no answer and were sent again
        self._unlabelled: list[str] = []
        self._labelled: list[str] = []
        self._early: list[str] = []  # ids whose label was sent before their event
        self._value: dict[str, bool] = {}
        self._counter = itertools.count()
        self._client: Client | None = None

    # --- requests -------------------------------------------------------------------------------

    def run(self) -> None:
        try:
            while not self.world.stopping.is_set():
                self._step()
        except Exception as error:  # reported by the test, which would not see it otherwise
            self.wrong.append(f"{self.name} failed: {type(error).__name__}: {error}")
        finally:
            self.close()

    def close(self) -> None:
        if self._client is not None:
            self._client.close()

    def _ask(self, send: Callable[[Client], T]) -> T:
        """Send something until it is answered."""
        attempts = 0
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and not self.world.gone.is_set():
            url = self.world.url
            if url is not None:
                if self._client is None or url not in repr(self._client):
                    self.close()
                    self._client = Client(url, retries=0)
                try:
                    return send(self._client)
                except ServiceError as error:
                    if error.status not in (None, 503):
                        raise
                    self.again += not attempts
                    attempts += 1
            time.sleep(0.01)
        raise TimeoutError("nobody has answered")

    def score(self, names: list[str], is_new: bool = False) -> None:
        """Send events, one by itself or several as a batch."""
        events, floor = [self.world.event(one) for one in names], self.world.learnt
        if len(events) == 1:
            one = {**events[0]}
            name, features = one.pop("id"), one.pop("features")
            found: list[Any] = [self._ask(lambda client: client.score(name, features, **one))]
        else:
            found = self._ask(lambda client: client.score_many(events))
        for name, answer in zip(names, found, strict=True):
            if isinstance(answer, Problem):
                self.wrong.append(f"{name} was refused: {answer.error}")
            elif is_new and answer.learnt < floor:
                self.wrong.append(f"{name} was decided after {answer.learnt} labels, not {floor}")
            else:
                self.answers.append(answer)

    def label(self, values: dict[str, bool]) -> None:
        """Send labels, one by itself or several as a batch."""
        floor = self.world.learnt
        if len(values) == 1:
            [(name, value)] = values.items()
            found: list[Any] = [self._ask(lambda client: client.label(name, value))]
        else:
            rows = [{"id": name, "label": value} for name, value in values.items()]
            found = self._ask(lambda client: client.label_many(rows))
        for (name, value), answer in zip(values.items(), found, strict=True):
            if isinstance(answer, Problem):
                self.wrong.append(f"the label of {name} was refused: {answer.error}")
                continue
            if answer.learnt < floor:
                self.wrong.append(f"{answer.learnt} labels were learnt after {floor}")
            self.world.heard(answer.learnt)
            self.labels.append((value, answer))

    # --- what is sent ---------------------------------------------------------------------------

    def _step(self) -> None:
        kind = self.chance.choices(
            [
                self._new,
                self._label,
                self._label_first,
                self._revise,
                self._old,
                self._shared,
                self._odd,
            ],
            [30, 40, 4, 6, 8, 10, 50 if self.world.odd_wanted else 0.3],
        )[0]
        kind()

    def _twice(self, send: Callable[[], None]) -> None:
        send()
        if self.chance.random() < AGAIN:
            send()

    def _few(self, names: list[str]) -> list[str]:
        """One, or up to 50 of some ids."""
        most = 1 if self.chance.random() < 0.6 else self.chance.randrange(2, 50)
        return self.chance.sample(names, min(most, len(names)))

    def _names(self) -> list[str]:
        count = 1 if self.chance.random() < 0.6 else self.chance.randrange(2, 40)
        return [f"{self.name}-{next(self._counter)}" for _ in range(count)]

    def _new(self) -> None:
        names = self._names()
        self.score(names, is_new=True)
        if self.chance.random() < AGAIN:
            self.score(names)
        self._unlabelled += [one for one in names if self.chance.random() < 0.95]  # others expire

    def _label(self) -> None:
        names = self._few(self._unlabelled[:400])
        if not names:
            return
        values = {one: self.world.truth(one) for one in names}
        self._value |= values
        self._twice(lambda: self.label(values))
        taken = set(names)
        self._unlabelled = [one for one in self._unlabelled if one not in taken]
        self._labelled += names

    def _label_first(self) -> None:
        """Labels of events that are sent later on."""
        values = {one: self.world.truth(one) for one in self._names()}
        self._value |= values
        self._twice(lambda: self.label(values))
        self._early += values
        names = self._few(self._early)
        self._twice(lambda: self.score(names))
        taken = set(names)
        self._early = [one for one in self._early if one not in taken]
        self._labelled += names

    def _revise(self) -> None:
        names = self._few(self._labelled[-200:])
        if not names:
            return
        values = {one: not self._value[one] for one in names}
        self._value |= values
        self._twice(lambda: self.label(values))

    def _old(self) -> None:
        """What was acknowledged long ago is sent once more."""
        if self._labelled:
            names = self._few(self._labelled)
            self.score(names)
            self.label({one: self._value[one] for one in names})

    def _shared(self) -> None:
        name = self.world.shared()
        self._twice(lambda: self.score([name]))
        if self.chance.random() < 0.5:  # others may do so at the same time
            self.label({name: self.world.truth(name)})

    def _odd(self) -> None:
        name = self.world.odd()
        if name is not None:
            self._twice(lambda: self.score([name]))


class Story:
    """A directory, its service, and the clients that outlive it."""

    def __init__(self, directory: Path, seed: int, options: list[object], clients: int = 4) -> None:
        self.directory, self.seed, self.options = directory, seed, options
        self.world = World(seed)
        self.chance = random.Random(f"{seed} kills")
        self.senders = [Sender(self.world, number) for number in range(clients)]
        self.first = Sender(self.world, -1)  # what is sent before all others
        self.process: Process | None = None
        self.kills: dict[str, int] = {}

    def begin(self) -> None:
        """The first start; labels of rows that cannot be learnt come first, one event is labelled."""
        self.start()
        names = [f"odd-{number}" for number in range(ODD)]
        client = self.first
        with Client(self.process.ready(), retries=0) as service:
            found = service.label_many({"id": name, "label": False} for name in names)
            client.labels += [(False, one) for one in found]
        client.score(["first"])
        client.label({"first": False})
        client.score([self.world.odd()])
        client.close()
        for one in self.senders:
            one.start()

    def start(self) -> None:
        """Start the service, and tell clients where it is."""
        self.process = self._launch()
        self.world.url = self.process.ready()

    def _launch(self, point: str = "never", times: int = 1) -> Process:
        return Process(self.directory, *self.options, point=point, times=times)

    def die_at(self, point: str) -> None:
        """Let the service kill itself at a point, and start it again."""
        time.sleep(self.chance.uniform(0.0, 0.3))
        self.kill()
        process = self._launch(point, self.chance.randint(1, 1 if "reject" in point else 4))
        self.process = process
        self.world.odd_wanted = "reject" in point
        self.world.url = process.address()
        code = process.ended()
        self.world.odd_wanted = False
        assert code == -signal.SIGKILL, f"seed {self.seed}, {point}: {code} {process.output}"
        self._count(point)
        self.start()

    def kill(self) -> None:
        """Kill the service now."""
        code = self.process.kill()
        assert code == -signal.SIGKILL, f"seed {self.seed}: it ended by itself: {self.process.output}"
        self._count("random")

    def kill_at_random(self) -> None:
        """Kill the service at a random moment, perhaps while it starts, and start it again."""
        if self.chance.random() < 0.2:
            self.kill()
            self.process = self._launch()
            time.sleep(self.chance.uniform(0.1, 0.7))
        else:
            time.sleep(self.chance.uniform(0.0, 0.5))
        self.kill()
        self.start()

    def stop_in_order(self) -> None:
        """Stop the service while clients send, as systemd would, and start it again."""
        code = self.process.stop()
        assert code == 0, f"seed {self.seed}: {code} {self.process.output}"
        self.start()

    def _count(self, what: str) -> None:
        self.kills[what] = self.kills.get(what, 0) + 1

    def end(self) -> None:
        """Let clients finish what they have begun, and stop the service."""
        self.world.stopping.set()
        for one in self.senders:
            one.join()
        code = self.process.stop()
        assert code == 0, f"seed {self.seed}: {code} {self.process.output}"

    def abandon(self) -> None:
        """End all of it where a test has failed in the middle."""
        self.world.stopping.set()
        self.world.gone.set()
        if self.process is not None and self.process.lives:
            self.process.kill()
        for one in self.senders:
            if one.is_alive():
                one.join()

    @property
    def everyone(self) -> list[Sender]:
        return [self.first, *self.senders]
