"""A file that is followed in a thread, as it grows and is rotated."""

import contextlib
import gc
import queue
import threading

from costream.files.following import Following
from costream.files.reader import Stream

PATIENCE = 20.0  # seconds after which a test that hangs has failed
POLL = 0.005


def append(path, text):
    with open(path, "a") as file:
        file.write(text)


def some_time():
    """For the reader to look at the file more than once."""
    threading.Event().wait(10 * POLL)


class Followed:
    """The rows of a file that is followed in a thread: the number of the stream, and the label."""

    def __init__(self, path, open_stream=Stream):
        self.following = Following(path, open_stream)
        self.streams = queue.Queue()
        self._rows = queue.Queue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        try:
            with self.following:
                for number, stream in enumerate(self.following, 1):
                    self.streams.put(stream)
                    for block in stream:
                        for label in block.label.tolist():
                            self._rows.put((number, label))
            self._rows.put(None)
        except BaseException as error:
            self._rows.put(error)

    def next(self, count=1):
        """The next rows; a failure if they take too long."""
        rows = []
        while len(rows) < count:
            row = self._rows.get(timeout=PATIENCE)
            if isinstance(row, BaseException):
                raise row
            assert row is not None, "the following has ended"
            rows.append(row)
        return rows

    def assert_ends(self):
        """No more rows, no error, no thread, no open file."""
        assert self._rows.get(timeout=PATIENCE) is None
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        for stream in list(self.streams.queue):
            assert not stream._thread.is_alive()
        gc.collect()  # where a file left open is a warning, thus a failure


@contextlib.contextmanager
def followed(path, open_stream=Stream):
    """A file that is followed, stopped in the end."""
    rows = Followed(path, open_stream)
    yield rows
    rows.following.stop()
    rows.assert_ends()
