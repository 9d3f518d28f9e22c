"""Reports written by hand, one for each shape that a reader meets. The numbers of the first are real."""

from __future__ import annotations

from harness.schema import (
    ArrayChange,
    Check,
    Comparison,
    Cost,
    Environment,
    Event,
    Failure,
    Finding,
    Location,
    NotAttributed,
    Note,
    Number,
    Parameter,
    ProgramInfo,
    Related,
    Report,
    RuledOut,
    Series,
    Tool,
    WithIntervention,
    WithoutNumbers,
)

TOOL = Tool(version="0.1.0")
ENVIRONMENT = Environment(python="3.11.7", platform="Linux x86_64", warp="1.19.0", numpy="2.3.1", device="cpu")


def overwritten_field() -> Report:
    """A field is smoothed for a plot between the forward pass and backward()."""
    script = "relax_field_before_backward.py"
    writer = Location(
        file=script,
        line=55,
        function="smooth_for_plot",
        snippet="    wp.launch(smooth_for_plot, dim=N, inputs=[field, N])\n",
    )
    reader = Location(file=script, line=51, snippet="wp.launch(radiated, dim=N, inputs=[field], outputs=[total])")
    ratios = (0.817, 0.818, 0.821)
    return Report(
        tool=TOOL,
        verdict="wrong",
        summary=(
            f"d(loss)/d(params), {script}:42: autodiff is 0.817 x the measured derivative, at every iteration checked"
        ),
        environment=ENVIRONMENT,
        program=ProgramInfo(script=f"cases/{script}", iterations_observed=3),
        parameters=[
            Parameter(
                name="params",
                location=Location(
                    file=script, line=42, snippet="params = wp.array(START, dtype=float, requires_grad=True)"
                ),
                shape=[4],
                dtype="float32",
                verdict="wrong",
                checks=[
                    Check(
                        iteration=iteration,
                        objective="loss",
                        oracle="global",
                        autodiff=0.2200 * 0.94**iteration,
                        measured=0.2200 * 0.94**iteration / ratio,
                        interval=4.1e-4,
                        ratio=ratio,
                        verdict="disagrees",
                        smallest_visible_error=0.011,
                        evaluations=41,
                    )
                    for iteration, ratio in enumerate(ratios)
                ],
            )
        ],
        findings=[
            Finding(
                kind="array-overwrite",
                confidence="proven",
                title="`field` is changed before backward() needs it",
                message=(
                    "`field` is changed by `smooth_for_plot` (line 55) after `radiated` (line 51) read it and before "
                    "backward() (line 58). Backward on the recorded contents gives |gradient| 0.271 instead of 0.220, "
                    "and agrees with the differences."
                ),
                remedy="smooth a copy of `field`, or move line 55 after line 58.",
                location=writer,
                related=[
                    Related(role="reader", **reader.model_dump()),
                    Related(role="backward", file=script, line=58, snippet="tape.backward(loss)"),
                ],
                parameters=["params"],
                evidence=[
                    ArrayChange(
                        array="field", writer=writer, reader=reader, elements_changed=16, max_abs_change=0.1532
                    ),
                    Comparison(label="|gradient|, recorded contents", autodiff=0.271, measured=0.2694, interval=4.1e-4),
                ],
                without=WithoutNumbers(autodiff=0.2200, measured=0.2694),
                with_intervention=WithIntervention(name="restore `field`", autodiff=0.2710, measured=0.2694),
                mechanism="launch",
            )
        ],
        ruled_out=[
            RuledOut(kind="gradient-accumulation", why="`params.grad` is zero before each backward()."),
            RuledOut(kind="severed-chain", why="giving `requires_grad` to every float array changes nothing."),
        ],
        reproduce=[f"python -m harness.run cases/{script}"],
        cost=Cost(seconds=3.62, executions=58, peak_memory=231 * 2**20),
    )


def correct_spring() -> Report:
    """Everything agrees; the report says how small an error would have shown."""
    checks = [
        Check(
            iteration=iteration,
            objective="loss",
            oracle="global",
            autodiff=autodiff,
            measured=autodiff * 1.0004,
            interval=abs(autodiff) * 2.3e-3,
            ratio=0.9996,
            verdict="agrees",
            smallest_visible_error=0.0123,
            evaluations=41,
        )
        for iteration, autodiff in enumerate((-6.2511e-5, -5.8e-5, -5.37e-5))
    ]
    return Report(
        tool=TOOL,
        verdict="correct",
        summary=(
            "d(loss)/d(stiffness), spring.py:31: autodiff agrees with the measured derivative, "
            "and an error above 1.2 % would have shown"
        ),
        environment=ENVIRONMENT,
        program=ProgramInfo(script="spring.py", argv=["--steps", "40"], overrides={"N": "32"}, iterations_observed=3),
        parameters=[
            Parameter(
                name="stiffness",
                location=Location(file="spring.py", line=31),
                shape=[1024],
                dtype="float32",
                verdict="correct",
                checks=checks,
            )
        ],
        blind_spots=["iterations after the third were not run"],
        reproduce=["python -m harness.run spring.py --set N=32 -- --steps 40"],
        cost=Cost(seconds=2.04, executions=44),
    )


def hidden_by_noise() -> Report:
    """The loss carries a large constant, so differences see nothing."""
    return Report(
        tool=TOOL,
        verdict="undecided",
        summary="d(loss)/d(v0), chain.py:18: finite differences cannot check it (noise_floor)",
        environment=ENVIRONMENT,
        program=ProgramInfo(script="chain.py", iterations_observed=1),
        parameters=[
            Parameter(
                name="v0",
                location=Location(file="chain.py", line=18),
                shape=[32],
                dtype="vec3",
                verdict="undecided",
                checks=[
                    Check(
                        iteration=0,
                        objective="loss",
                        oracle="global",
                        autodiff=6.1e-4,
                        measured=5.2e-4,
                        interval=2.2e-4,
                        ratio=1.17,
                        verdict="undecided",
                        reason="noise_floor",
                        smallest_visible_error=0.36,
                        evaluations=47,
                        explanation=(
                            "At h=2^-8 the loss moves by 2.2e-4, under four steps of its own resolution (6.1e-5), "
                            "so only a gradient error above 36 % would show."
                        ),
                        next_step="remove the constant offset from the loss, or run with `--steps 40`.",
                        h=2.0**-8,
                        eps_f=6.1e-5,
                        eps_f_in_ulps=1.0,
                    )
                ],
            )
        ],
        findings=[
            Finding(
                kind="cancellation",
                confidence="measured",
                title="the loss is a small change on a large constant",
                message=(
                    "The loss is 1000.03 at chain.py:52 and its changes are below 1e-3, "
                    "so float32 keeps one digit of them."
                ),
                location=Location(file="chain.py", line=52, function="total", snippet="loss[0] = e + 1000.0"),
                evidence=[
                    Number(label="loss", value=1000.03),
                    Series(label="derivative over h", x=[2**-4, 2**-14], y=[5.4e-4, float("nan")]),
                ],
                next_step="keep the constant out of the loss and print it separately.",
            )
        ],
        reproduce=["python -m harness.run chain.py"],
        cost=Cost(seconds=4.4, executions=50, peak_memory=1300 * 2**20),
    )


def failing_program() -> Report:
    """The program raises before it gets to a gradient."""
    return Report(
        tool=TOOL,
        verdict="blocked",
        summary="`train.py` raises ValueError at sim/mesh.py:12, before any backward()",
        environment=ENVIRONMENT,
        program=ProgramInfo(script="train.py", argv=["--mesh", "bunny.usd"]),
        failure=Failure(
            reason="exception",
            message="`train.py` raises ValueError at sim/mesh.py:12, before any backward()",
            traceback=(
                "Traceback (most recent call last):\n"
                '  File "train.py", line 9, in <module>\n'
                "    mesh = load(args.mesh)\n"
                '  File "sim/mesh.py", line 12, in load\n'
                '    raise ValueError(f"no faces in {path}")\n'
                "ValueError: no faces in bunny.usd\n"
            ),
            location=Location(file="sim/mesh.py", line=12, function="load"),
            next_step="make `python train.py --mesh bunny.usd` run to its first backward(), then check it again.",
        ),
        cost=Cost(seconds=0.61, executions=1),
    )


def two_parameters() -> Report:
    """Two gradients are wrong for different reasons, one is right, and a part is not explained."""
    return Report(
        tool=TOOL,
        verdict="wrong",
        summary="2 of 3 gradients are wrong; the worst is d(loss)/d(gains), policy.py:20, which is NaN",
        environment=ENVIRONMENT.model_copy(update={"torch": "2.9.0", "device": "cuda:0 (NVIDIA L4)"}),
        program=ProgramInfo(script="/data/robot/train_policy.py", overrides={"STEPS": "40"}, iterations_observed=3),
        parameters=[
            _parameter("offset", 22, "correct", [_check(0, 1.503, 1.5031, 2e-3, 1.0, "agrees")]),
            _parameter("gains", 20, "wrong", [_check(0, float("nan"), 4.25e4, 60.0, None, "disagrees")]),
            _parameter(
                "friction",
                21,
                "wrong",
                [
                    _check(0, -3.1e-3, -3.1e-3, 1e-5, 1.0, "agrees"),
                    _check(1, -6.0e-3, -3.0e-3, 1e-5, 2.0, "disagrees"),
                    _check(2, -9.1e-3, -3.0e-3, 1e-5, 3.03, "disagrees"),
                ],
            ),
        ],
        findings=[
            Finding(
                kind="nonfinite-adjoint",
                confidence="measured",
                title="the adjoint of sqrt is infinite at zero",
                message="The adjoint of `slip` becomes infinite at element 12, where `wp.sqrt` is taken of 0.",
                remedy="add a small constant under the root: `wp.sqrt(v * v + 1.0e-12)`.",
                location=Location(file="contact.py", line=77, function="slip", snippet="speed = wp.sqrt(v * v)"),
                related=[
                    Related(
                        role="launch",
                        file="train_policy.py",
                        line=140,
                        snippet="wp.launch(slip, dim=n, inputs=[v, mu])",
                    )
                ],
                parameters=["gains"],
                evidence=[
                    Event(what="first non-finite value in the adjoint of `v`[12]", file="train_policy.py", line=140),
                    Number(label="`v`[12]", value=0.0, unit="m/s"),
                    Note(text="no other element of `v` is zero"),
                ],
            ),
            Finding(
                kind="gradient-accumulation",
                confidence="proven",
                title="`friction.grad` is never zeroed",
                message="`friction.grad` keeps the sum over iterations: 2.00 x the measured derivative at iteration 1.",
                remedy="call `tape.zero()` after line 160.",
                location=Location(file="train_policy.py", line=160, snippet="opt.step([friction.grad])"),
                parameters=["friction"],
                evidence=[Series(label="ratio over iterations", x=[0, 1, 2], y=[1.0, 2.0, 3.03])],
                without=WithoutNumbers(autodiff=-6.0e-3, measured=-3.0e-3),
                with_intervention=WithIntervention(name="zero before backward", autodiff=-3.0e-3, measured=-3.0e-3),
            ),
        ],
        not_attributed=NotAttributed(
            what="At iteration 2, 1.0 % of the disagreement of `friction` remains with both interventions on.",
            tried=["restoring every recorded array: no change", "dropping `retain_grad`: no change"],
        ),
        blind_spots=[
            "`observe` hands `v` to torch at train_policy.py:151; the torch side is taken as it is",
            "the graph captured at line 90 was run without capture",
        ],
        reproduce=[
            "python -m harness.run --python /data/robot/env/bin/python --set STEPS=40 --iterations 3 "
            "/data/robot/train_policy.py -- --task 'reach target' --headless"
        ],
        cost=Cost(seconds=147.0, executions=131, peak_memory=6 * 2**30),
    )


def _parameter(name: str, line: int, verdict: str, checks: list[Check]) -> Parameter:
    return Parameter.model_validate(
        {
            "name": name,
            "location": Location(file="policy.py", line=line),
            "shape": [12],
            "dtype": "float32",
            "verdict": verdict,
            "checks": checks,
        }
    )


def _check(
    iteration: int, autodiff: float, measured: float, interval: float, ratio: float | None, verdict: str
) -> Check:
    return Check.model_validate(
        {
            "iteration": iteration,
            "objective": "loss",
            "oracle": "global",
            "autodiff": autodiff,
            "measured": measured,
            "interval": interval,
            "ratio": ratio,
            "verdict": verdict,
            "evaluations": 30,
        }
    )


EXAMPLES = {
    "overwritten-field": overwritten_field,
    "correct-spring": correct_spring,
    "hidden-by-noise": hidden_by_noise,
    "failing-program": failing_program,
    "two-parameters": two_parameters,
}
