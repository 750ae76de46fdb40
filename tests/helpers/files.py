"""Model files taken apart, and put together with a checksum that holds."""

import hashlib
import json


def taken_apart(path):
    """The first line, the header, and the bytes of the arrays."""
    first, rest = path.read_bytes()[:-32].split(b"\n", 1)
    length = int.from_bytes(rest[:8], "little")
    return first, json.loads(rest[8 : 8 + length]), rest[8 + length :]


def put_together(path, first, header, data, length=None):
    """Write a file with a checksum that holds."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    length = len(text) if length is None else length
    content = first + b"\n" + length.to_bytes(8, "little") + text + data
    path.write_bytes(content + hashlib.sha256(content).digest())
