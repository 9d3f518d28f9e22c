"""JSON messages over a local socket, one per line, between the parent and its worker processes."""

from __future__ import annotations

import json
import select
import socket
import time
from typing import Any


class Channel:
    """One end of a connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._buffer = bytearray()
        self._is_closed = False

    def send(self, message: dict[str, Any]) -> None:
        """Send one message.

        Raises:
            OSError: the other end is gone.
        """
        self._socket.sendall(json.dumps(message).encode() + b"\n")

    def receive(self, timeout: float | None = None) -> dict[str, Any] | None:
        """The next message; None once the other end has closed.

        Raises:
            TimeoutError: nothing came within ``timeout`` seconds.
        """
        while b"\n" not in self._buffer:
            if timeout is not None and not select.select([self._socket], [], [], timeout)[0]:
                raise TimeoutError
            try:
                chunk = self._socket.recv(1 << 16)
            except ConnectionError:
                chunk = b""
            if not chunk:
                return None
            self._buffer += chunk
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        message: dict[str, Any] = json.loads(line)
        return message

    def is_closed_by_peer(self, timeout: float) -> bool:
        """Whether the other end closes within ``timeout`` seconds; takes nothing from the stream."""
        try:
            if not select.select([self._socket], [], [], timeout)[0]:
                return False
            if self._socket.recv(1, socket.MSG_PEEK):
                time.sleep(timeout)  # a message that another thread is about to take
                return False
        except OSError:
            pass
        return True

    def close(self) -> None:
        """Close both directions."""
        if not self._is_closed:
            self._is_closed = True
            self._socket.close()


def connect(address: str) -> Channel:
    """Connect to ``unix:PATH`` or ``tcp:PORT`` (loopback only)."""
    scheme, _, place = address.partition(":")
    if scheme == "unix":
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(place)
    else:
        connection = socket.create_connection(("127.0.0.1", int(place)))
    return Channel(connection)
