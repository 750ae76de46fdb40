"""The methods by which every model is saved and read: `OnlineClassifier` and the adapters of hosts."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import IO, TYPE_CHECKING, Self

if TYPE_CHECKING:
    from .classifier import OnlineClassifier


class SavedModel:
    """What can be saved: an `OnlineClassifier`, or an adapter around one."""

    @abstractmethod
    def _to_saved(self) -> OnlineClassifier:
        """The model inside, with all that its file is to hold."""

    @classmethod
    @abstractmethod
    def _from_saved(cls, model: OnlineClassifier) -> Self:
        """The object around a model that was read."""

    def save(self, path: str | os.PathLike[str] | IO[bytes]) -> None:
        """Write the model into a file, without pickle, as `costream.save` does.

        Parameters
        ----------
        path : str, path-like or binary file object
            Where to write it. A file that is named is replaced atomically.
        """
        from .file import save

        save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str] | IO[bytes]) -> Self:
        """Read a model from a file; it goes on learning where it was saved, bit for bit.

        Parameters
        ----------
        path : str, path-like or binary file object
            A file that `save` or the command line has written.

        Returns
        -------
        object of this class
            The model.
        """
        from .file import load

        return cls._from_saved(load(path))

    def dumps(self) -> bytes:
        """Give the model as the bytes of its file, as `costream.dumps` does.

        Returns
        -------
        bytes
            What `save` would write.
        """
        from .file import dumps

        return dumps(self)

    @classmethod
    def loads(cls, content: bytes) -> Self:
        """Read a model from the bytes of its file.

        Parameters
        ----------
        content : bytes
            What `dumps` gave, or the content of a file.

        Returns
        -------
        object of this class
            The model.
        """
        from .file import loads

        return cls._from_saved(loads(content))
