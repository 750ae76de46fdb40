"""What reads rows and tables for a model: its schema, and what it remembers of text and times."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from ..tables.coverage import Coverage
from ..tables.naming import ENCODING_BITS, TextSlots, plain_keys, text_names
from ..tables.reader import TableReader
from ..tables.row import RowReader
from ..tables.schema import HASH_BITS, Schema
from .features import Features
from .target_encoding import TargetEncoding
from .warner import Warner


class Readers:
    """The schema of a model, and the readers that follow it; ``is_resolved`` is whether it is whole."""

    def __init__(
        self,
        features: Features,
        warner: Warner,
        schema: Schema | None,
        is_resolved: bool,
        target_encoding: TargetEncoding | None,
        coverage: Coverage | None,
    ) -> None:
        self._features, self._warner = features, warner
        self.schema = schema
        self.is_resolved = is_resolved and schema is not None
        self.target_encoding = target_encoding  # of text columns with many values
        self.coverage = coverage or Coverage()  # of columns of times
        self.has_new_numbers = False  # whether the features of the schema's numbers are to be made
        self.forget_slots()

    def adopt(self, schema: Schema | None) -> None:
        """Read rows by a schema from now on."""
        self.is_resolved = schema is not None
        if schema is not self.schema:
            self.schema = schema
            self.forget_slots()

    def forget_slots(self) -> None:
        """Look again which text values have a feature: others have given them some."""
        self.__dict__.pop("slots", None)
        self.__dict__.pop("rows", None)
        self._tables: TableReader | None = None
        self.plain_keys = None if self.schema is None else plain_keys(self.schema)

    def leave_slots(self, used: int) -> None:
        """Forget the slots of text values beyond the first ``used`` ones: these are not learnt."""
        if self.slots.used > used:
            self.slots.leave(used)
            self._tables = None

    @contextmanager
    def forgetting_errors(self) -> Iterator[None]:
        """Forget the slots that text values take meanwhile, should there be an error."""
        try:
            yield
        except Exception:
            self.forget_slots()
            raise

    @cached_property
    def slots(self) -> TextSlots:
        """The slots of text values, some of which have a feature already."""
        bits = HASH_BITS if self.schema is None else self.schema.bits
        return TextSlots(bits, text_names(self._features.names or (), self.schema))

    @cached_property
    def rows(self) -> RowReader:
        """What reads dicts."""
        reader = RowReader(self.schema, self.slots, self._warner.warn_once, self._features.has)
        self.has_new_numbers = bool(reader.fixed)
        return reader

    def tables(self, schema: Schema) -> TableReader:
        """What reads tables."""
        if self._tables is None or self._tables.schema is not schema:
            self._tables = TableReader(schema, self.slots, self._warner.warn_once)
        return self._tables

    def reads_plainly(self, keys: Collection[Any]) -> bool:
        """Whether dicts with these keys are taken as they are if all values are numbers."""
        if self.plain_keys is None:
            return True
        names = self._features.names
        return (
            tuple(keys) == self.plain_keys and names is not None and all(one in names for one in keys)
        )

    def require_target_encoding(self) -> TargetEncoding:
        """The target encoding, made when first needed."""
        if self.target_encoding is None:
            self.target_encoding = TargetEncoding(ENCODING_BITS)
        return self.target_encoding
