"""``costream serve``: a service in a directory, and its tokens."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..costs.objectives.cost import Cost
from ..errors import CostreamError
from ..labels.labels import parsed_labels
from ..model.classifier import OnlineClassifier, core_of
from ..model.file import load
from ..report.tables import text_table
from ..serve import needed_packages
from ..serve.http.logs import Format, log_command, log_to_stderr
from ..serve.http.tokens import Tokens
from ..serve.settings import Settings, seconds_of
from ..serve.storage.directory import LOG, made
from ..serve.storage.reader import LogReader
from ..tables.schema import Schema
from . import BAD_INPUT, BAD_USAGE, UsageError
from .checks import report_default_costs, report_objective
from .options import ModelOptions
from .terminal import notices_to, notify

if TYPE_CHECKING:
    from ..serve.engine.recovery import Opening

logger = logging.getLogger("costream.serve")
DEMO_COSTS = Cost(fn_cost=100.0, fp_cost=5.0)  # its payments have costs of their own
DEMO_END = 5.0  # seconds that the demo is given to end


@dataclass(frozen=True)
class Serve:
    """One run of the command."""

    directory: Path
    options: ModelOptions
    model: Path | None = None
    positive: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)  # as they are given, None where they are not
    ignore: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8321
    allowed_hosts: tuple[str, ...] = ()
    access_log: bool = False
    require_token: bool = False
    log_format: Format = "text"
    max_connections: int = 1000
    demo: bool = False

    def run(self) -> int:
        try:
            return self._logged()
        except (MemoryError, RuntimeError) as error:
            from ..serve.engine.recovery import is_of_the_machine, short_machine

            if not is_of_the_machine(error):
                raise
            raise short_machine(error) from None

    def _logged(self) -> int:
        """Run with a log of the form that is asked for."""
        if self.log_format == "text":
            return self._run()
        log_to_stderr(self.log_format)
        with notices_to(_log):  # each line is an object, whoever writes it
            try:
                return self._run()
            except (UsageError, CostreamError, OSError) as error:
                logger.error("%s", error)
                return BAD_USAGE if isinstance(error, UsageError) else BAD_INPUT

    def _run(self) -> int:
        with needed_packages():
            from ..serve import server
        from ..serve.engine.recovery import Opening

        settings, make = self._settings(), self._make()
        tokens = Tokens.of(self.directory)
        if self.demo and (self.require_token or tokens.are_demanded()):
            raise UsageError(
                "--demo sends no token, and this directory needs one\nhint: choose another --dir"
            )
        server.check_token(self.host, tokens)
        with server.listen(self.host, self.port) as bound, notices_to(_log):
            log_to_stderr(self.log_format)
            opening = Opening(self.directory, make, settings)
            self._report_objective(opening)
            with self._playing(server.address_of(*bound.getsockname()[:2])):
                return server.run(
                    opening,
                    bound,
                    self.allowed_hosts,
                    self.access_log,
                    require_token=self.require_token,
                    log_format=self.log_format,
                    max_connections=self.max_connections,
                )

    @contextmanager
    def _playing(self, url: str) -> Iterator[None]:
        """The demo, where it is asked for."""
        if not self.demo:
            yield
            return
        from ..serve.demo import start_demo

        stopping = threading.Event()
        demo = start_demo(url, stopping)
        try:
            yield
        finally:
            stopping.set()
            demo.join(DEMO_END)

    def _settings(self) -> Settings:
        given = {key: value for key, value in self.settings.items() if value is not None}
        for key in given.keys() & {"expire", "keep_unmatched"}:
            given[key] = seconds_of(given[key])
        return Settings(**given)

    def _make(self) -> Callable[[], OnlineClassifier] | None:
        """What makes the model that is asked for; None to go on with that of the directory."""
        options = self.options
        own = [*options.for_making, *(["--positive"] if self.positive is not None else [])]
        own += ["--ignore"] if self.ignore else []
        if self.model is not None:
            if own:
                raise UsageError(
                    "a model has its own learner, objective and labels\n"
                    f"hint: leave out {', '.join(own)}, or -m"
                )
            return self._loaded
        if own or options.given_costs:
            learner, objective = options.make_learner(), options.make_objective()
            positive = parsed_labels(self.positive)
            schema = Schema(dict.fromkeys(self.ignore, "left out")) if self.ignore else None
            return lambda: options.make_model(learner, objective, positive=positive, schema=schema)
        if self.demo and not self._has_model():
            return lambda: OnlineClassifier(objective=DEMO_COSTS)
        return None

    def _has_model(self) -> bool:
        """Whether the directory has begun; one may hold tokens alone."""
        if not (self.directory / LOG).exists():
            return False
        with closing(LogReader(self.directory / LOG)) as log:
            return bool(log.base_models())

    def _loaded(self) -> OnlineClassifier:
        """The model of -m, at the costs that are given."""
        assert self.model is not None
        model = load(self.model)
        if self.options.given_costs:
            if not model.objective.has_costs:
                raise UsageError(
                    f"the model optimises {model.objective.goal}, not costs\n"
                    "hint: leave out the costs, or train a model with them"
                )
            core_of(model).set_objective(self.options.costs_over(model.objective))
        return model

    def _report_objective(self, opening: Opening) -> None:
        """Print what is optimised, where the model begins."""
        model = opening.model
        if not opening.has_events and self.model is None and not self.demo:
            report_default_costs(self.options)
        report_objective(model.objective, model.learner.name)


def _log(message: str) -> None:
    """Write a message to the log, so that each line there has its time and level."""
    logger.info("%s", message.removeprefix("costream: "))


def add_token(directory: Path, name: str, scopes: tuple[str, ...]) -> int:
    """Make a token and print it."""
    print(Tokens.of(made(directory)).add(name, scopes))
    log_command("token add", name=name, scopes=",".join(scopes), dir=directory)
    notify("keep it, since it is not shown again; send it in the header Authorization: Bearer TOKEN")
    return 0


def list_tokens(directory: Path) -> int:
    """Print the tokens of a directory, without what is secret."""
    tokens = Tokens.of(directory)
    rows = [[one.name, ", ".join(one.scopes), one.created] for one in tokens.names()]
    if rows:
        print(text_table(("token", "scopes", "created"), rows, left=3))
        notify(f"{directory} requires a token: every request needs one of these")
    elif tokens.are_demanded():
        notify(
            f"{directory} requires a token and has none that can be read: every request is refused\n"
            "hint: make a token with costream serve token add, or need none with token open"
        )
    else:
        notify(f"{directory} requires no token: whoever reaches the service may use it")
    return 0


def remove_token(directory: Path, name: str) -> int:
    """Remove a token."""
    Tokens.of(directory).remove(name)
    log_command("token remove", name=name, dir=directory)
    notify(f"removed {name}")
    return 0


def open_directory(directory: Path) -> int:
    """Require no token any more."""
    Tokens.of(directory).open_again()
    log_command("token open", dir=directory)
    notify(
        f"{directory} requires no token from the next start on: whoever reaches it may use the service"
    )
    return 0
