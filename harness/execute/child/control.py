"""Decides, for one execution, where to pause, what to change and where to stop; the recorder asks it at every event."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from ...record import memory
from ...record.backward import Bound, TapeLog
from ...record.events import Event, Touches
from ...record.plan import Objective, Plan
from ...record.recorder import Recorder
from .channel import Channel
from .interventions import Intervention, from_plan
from .overrides import OverrideError, Overrides


@dataclass
class Evaluation:
    """A forward run whose only result is the objective."""

    objective: Objective
    send: Callable[[dict[str, Any]], None]
    """Where the result goes."""
    values: list[float | None] = field(default_factory=list)
    is_complete: bool = False
    """The last backward pass of the objective has begun."""


class Control:
    """The recorder's collaborator; see `harness.record.recorder.Recorder`."""

    def __init__(self, plan: Plan, channel: Channel | None) -> None:
        self.plan = plan
        self.channel = channel
        self.recorder: Recorder
        self.log: TapeLog
        self.running_tape: Any = None
        self.running_grads: dict[Any, Any] = {}
        """What the backward pass at hand was given as ``grads=``."""
        self.launch_arguments: dict[str, Any] = {}
        self.evaluation: Evaluation | None = None
        if plan.objective is not None and channel is not None:
            self.evaluation = Evaluation(plan.objective, channel.send)
        self.interventions: list[Intervention] = []
        self.pauses = set(plan.pauses)
        self.writes = plan.writes
        self.overlay: Any = None
        self.overrides: Overrides | None = None
        self.process = os.getpid()
        self.has_left = False
        self.modules: list[str] = []
        """Kernel modules known to be launched from, loaded before the program serves forks."""

    # --- forward ----------------------------------------------------------------------------------------------
    def before(self, event: Event, touches: Touches) -> None:
        """An operation is about to run."""
        if self.plan.stop_event == event.seq:
            self.finish("stopped", "event")
        for write in self.writes:
            array = self.array_of(write.buffer, touches) if write.event == event.seq else None
            if array is not None:
                self.put(array, np.load(write.file))
        if event.seq in self.pauses and self.channel is not None and os.getpid() == self.process:
            from .serve import serve

            serve(self, event, touches)
        with self._unrecorded():
            for intervention in self.interventions:
                intervention.before(event, touches)

    def after(self, event: Event, touches: Touches) -> None:
        """An operation has run."""
        with self._unrecorded():
            for intervention in self.interventions:
                intervention.after(event, touches)

    @contextlib.contextmanager
    def _unrecorded(self) -> Iterator[None]:
        """What an intervention does itself is no event: the numbers of the program's events stay what they are, and
        interventions that name events go on finding them.
        """
        self.recorder.depth += 1
        try:
            yield
        finally:
            self.recorder.depth -= 1

    def bind(self, tape: Any, position: int, event: Event, touches: Touches) -> None:
        """The operation made tape entries."""
        self.log.bind(tape, position, event, touches)

    def put(self, array: Any, contents: np.ndarray) -> None:
        """Overwrite an array behind the recorder's back."""
        memory.put(array, contents)
        self.recorder.invalidate(array)

    def array_of(self, buffer: str, touches: Touches) -> Any:
        """The live array of a buffer: its first owner, else the array the operation at hand names."""
        known = self.recorder.memory.buffers.get(buffer)
        owner = known.owner() if known is not None and known.owner is not None else None
        return owner if owner is not None else next((a for t, a in touches if t.buffer == buffer), None)

    # --- backward ---------------------------------------------------------------------------------------------
    def backward(self, event: Event, tape: Any, loss: Any) -> None:
        """A backward pass begins: the objective's terms are read here."""
        if self.evaluation is None:
            with self._unrecorded():
                for intervention in self.interventions:
                    intervention.backward_begins(event, tape, loss)
            return
        ordinal = event.info["ordinal"]
        objective = self.evaluation.objective
        for term in objective.contributions:
            if term.backward == ordinal:
                self.evaluation.values.append(self._term(term, event))
        self.evaluation.is_complete = ordinal >= objective.last_backward
        if self.evaluation.is_complete and not objective.report:
            self.reply("ok")

    def _term(self, term: Any, event: Event) -> float | None:
        if term.seed_file is None:
            loss = event.info.get("loss")
            if loss is None:
                return None
            return float(loss["value"] - (loss["first_value"] if term.increment else 0.0))
        array = self.array_of(term.buffer, [])
        if array is None:
            return None
        seed = np.load(term.seed_file).astype(np.float64)
        output = memory.host_view(array).astype(np.float64)
        return float(np.sum(seed * output)) if seed.shape == output.shape else None

    def iteration_ended(self) -> None:
        """The first operation of the next iteration is about to run."""
        if self.evaluation is not None and self.evaluation.objective.report and self.evaluation.is_complete:
            self.reply("ok")

    def backward_ended(self, event: Event, tape: Any) -> None:
        """A backward pass has run."""
        self.log.skip = None
        with self._unrecorded():
            for intervention in self.interventions:
                intervention.backward_ends(event, tape)

    def run_adjoint(self, bound: Bound, run: Callable[[], Any]) -> Any:
        """Run one adjoint, or what interventions put in its place."""
        for intervention in reversed(self.interventions):
            run = functools.partial(intervention.run_adjoint, bound, run)
        return run()

    # --- other -------------------------------------------------------------------------------------------------
    def attach(self, recorder: Recorder, log: TapeLog) -> None:
        """Connect to the recorder, before the program starts."""
        self.recorder, self.log = recorder, log
        self.intervene(self.plan.interventions)
        if self.evaluation is not None:
            self.evaluate(self.evaluation)

    def evaluate(self, evaluation: Evaluation) -> None:
        """From here on the run is made for the objective's value alone."""
        self.evaluation = evaluation
        self.intervene(evaluation.objective.interventions)
        if evaluation.objective.report:
            self.recorder.reported.watch_returns()

    def intervene(self, interventions: list[dict[str, Any]]) -> None:
        """Switch interventions on."""
        for intervention in from_plan(interventions):
            intervention.recorder, intervention.log = self.recorder, self.log
            intervention.start()
            self.interventions.append(intervention)

    def array_created(self, array: Any) -> None:
        """An array was constructed."""
        for intervention in self.interventions:
            intervention.array_created(array)

    def tape_entered(self, tape: Any) -> None:
        """A tape begins to record."""
        with self._unrecorded():
            for intervention in self.interventions:
                intervention.tape_entered(tape)

    def take_over(self, folder: str) -> None:
        """This fork of ours goes on by itself: it closes the connection, and its writes land in ``folder``."""
        self.process = os.getpid()
        if self.channel is not None:
            self.channel.close()
        self.channel = None
        self.pauses = set()
        if self.overlay is not None:
            self.overlay.fork(Path(folder))

    # --- the end ----------------------------------------------------------------------------------------------
    def finish(self, status: str, detail: str = "") -> None:
        """Write what there is and end the process. The program's own exit handlers do not run: nothing of it may."""
        if os.getpid() != self.process:
            os._exit(0)  # a fork that the program made: it is not the one that is recorded
        self.has_left = True
        if self.evaluation is not None and self.evaluation.objective.report and status in ("completed", "exit"):
            self.reply("ok")
        if self.evaluation is not None:
            self.reply("not-reached" if status in ("completed", "stopped", "exit") else "crash")
        if self.overrides is not None and status in ("completed", "stopped", "exit"):
            try:
                self.overrides.check()
            except OverrideError as error:
                status, detail = "OverrideError", f"OverrideError: {error}"
        with contextlib.suppress(Exception):  # the program may have put something else in their place
            sys.stdout.flush()
            sys.stderr.flush()
        self.recorder.recording(status, detail).save(self.plan.out)
        if self.channel is not None:
            self.channel.send({"type": "finished", "status": status})
        os._exit(0)

    def reply(self, status: str) -> None:
        """Send the objective's value to the server and end the process."""
        assert self.evaluation is not None
        values = self.evaluation.values
        known = [v for v in values if v is not None]
        if status == "ok" and (len(known) < len(self.evaluation.objective.contributions)):
            status = "not-reached"
        if status == "ok" and not all(math.isfinite(v) for v in known):
            status = "nan"
        structure = self.recorder.structure.hexdigest()
        body: dict[str, Any] = {"status": status, "values": [repr(v) for v in known], "structure": structure}
        if self.evaluation.objective.report:
            body["scalars"] = {k: repr(v) for k, v in self.recorder.reported.scalars().items()}
        self.has_left = True
        self.evaluation.send(body)
        os._exit(0)

    def watch_abrupt_exit(self) -> None:
        """A program that ends through ``os._exit`` keeps what was recorded of it."""
        leave = os._exit

        def exit_at_once(status: int = 0) -> NoReturn:
            if os.getpid() == self.process and not self.has_left:
                self.finish("exit", str(status))
            leave(status)

        os._exit = exit_at_once
