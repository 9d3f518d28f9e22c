"""Messages between the parent and its workers."""

from __future__ import annotations

import socket
import threading
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.execute.child.channel import Channel

values = st.recursive(
    st.none() | st.integers() | st.text(max_size=9) | st.floats(allow_nan=False), st.lists, max_leaves=5
)


def pair() -> tuple[Channel, Channel]:
    ours, theirs = socket.socketpair()
    return Channel(ours), Channel(theirs)


@given(st.lists(st.dictionaries(st.text(max_size=5), values, max_size=3), max_size=5))
def test_messages_arrive_in_order_and_whole(messages: list[dict[str, Any]]) -> None:
    ours, theirs = pair()
    for message in messages:
        ours.send(message)
    ours.close()
    assert [theirs.receive() for _ in messages] == messages
    assert theirs.receive() is None
    theirs.close()


def test_a_message_larger_than_the_buffer_of_the_socket_arrives() -> None:
    ours, theirs = pair()
    sender = threading.Thread(target=ours.send, args=({"text": "x" * 5_000_000},))
    sender.start()
    received = theirs.receive()
    sender.join()
    assert received == {"text": "x" * 5_000_000}


def test_waiting_ends_at_its_time_and_loses_nothing() -> None:
    ours, theirs = pair()
    with pytest.raises(TimeoutError):
        theirs.receive(0.01)
    ours.send({"a": 1})
    assert theirs.receive(0.01) == {"a": 1}


def test_the_end_of_the_other_side_is_seen_without_reading() -> None:
    ours, theirs = pair()
    assert not theirs.is_closed_by_peer(0.01)
    ours.send({"a": 1})
    assert not theirs.is_closed_by_peer(0.01)
    assert theirs.receive() == {"a": 1}
    ours.close()
    started = time.monotonic()
    assert theirs.is_closed_by_peer(5.0)
    assert time.monotonic() - started < 2.0
