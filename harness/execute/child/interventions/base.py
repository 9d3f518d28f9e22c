"""What an intervention can hook into; everything does nothing by default."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....record.backward import Bound, TapeLog
from ....record.events import Event, Touches

if TYPE_CHECKING:
    from ....record.recorder import Recorder


class Intervention:
    """Base of all interventions; `recorder` and `log` are set before the program starts."""

    recorder: Recorder
    log: TapeLog
    from_iteration: int = 0

    @property
    def is_on(self) -> bool:
        """True from the iteration under test on."""
        return self.recorder.iterations.index >= self.from_iteration

    def start(self) -> None:
        """The program is about to start."""

    def array_created(self, array: Any) -> None:
        """An array was constructed."""

    def tape_entered(self, tape: Any) -> None:
        """A tape begins to record."""

    def before(self, event: Event, touches: Touches) -> None:
        """An operation is about to run."""

    def after(self, event: Event, touches: Touches) -> None:
        """An operation has run."""

    def backward_begins(self, event: Event, tape: Any, loss: Any) -> None:
        """A backward pass is about to run; its seeds are not yet in place."""

    def backward_ends(self, event: Event, tape: Any) -> None:
        """A backward pass has run."""

    def run_adjoint(self, bound: Bound, run: Callable[[], Any]) -> Any:
        """Run one adjoint, or something in its place."""
        return run()
