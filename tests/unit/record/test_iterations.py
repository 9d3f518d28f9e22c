"""Where an iteration ends: at an update, and not where a checkpoint brings an old state back."""

from __future__ import annotations

from harness.record.events import Event, Touch
from harness.record.iterations import IterationTracker


def copy(source: str, destination: str) -> Event:
    touches = [Touch(source, "src", True, False), Touch(destination, "dest", False, True)]
    return Event(0, "copy", "copy", 0, 0, touches)


def taped_launch(buffer: str) -> Event:
    return Event(0, "launch", "advance", 0, 0, [Touch(buffer, "state", True, False, has_gradient=True)], tape=0)


def consumed() -> IterationTracker:
    """The state was saved, run forward and back, and its gradient was read."""
    tracker = IterationTracker()
    tracker.after(copy("state", "saved"))
    tracker.after(taped_launch("state"))
    tracker.backward()
    tracker.gradient_read("state", 3)
    return tracker


def test_restoring_a_saved_state_does_not_begin_an_iteration() -> None:
    tracker = consumed()
    tracker.after(copy("saved", "state"))
    assert not tracker.begins_iteration(taped_launch("state"), {})


def test_copying_from_elsewhere_is_an_update() -> None:
    tracker = consumed()
    tracker.after(copy("improved", "state"))
    assert tracker.begins_iteration(taped_launch("state"), {})
    assert tracker.index == 1


def test_a_saved_state_that_was_changed_is_an_update_when_it_comes_back() -> None:
    tracker = consumed()
    tracker.after(Event(0, "launch", "descend", 0, 0, [Touch("saved", "x", True, True)]))
    tracker.after(copy("saved", "state"))
    assert tracker.begins_iteration(taped_launch("state"), {})
