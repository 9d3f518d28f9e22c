"""Judge programs that other projects ship, unmodified, on the CPU, and print one line for each.

    python tools/real_programs.py [NAME ...] [--limit SECONDS] [--python INTERPRETER]

Sizes are chosen through the programs' own options, or a module constant where they have none. `plain_s` is what the
same command takes without the harness, kernels cached, on two cores: the yardstick for the time to a verdict. The
reports are kept under reports/real. Exit code 1 when a program ends without a verdict, or as `wrong`.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from judging import ROOT, Judged, judge

REPORTS = ROOT / "reports" / "real"


class Program(NamedTuple):
    """One program: `options` are the harness's, `arguments` its own."""

    name: str
    module: str
    arguments: "tuple[str, ...]"
    plain_s: float
    options: "tuple[str, ...]" = ()
    environment: "dict[str, str] | None" = None


NEWTON_ARGUMENTS = ("--viewer", "null", "--device", "cpu", "--num-frames", "3")

PROGRAMS = (
    # 64 x 64 pixels, one rotation of a mesh, SGD.
    Program(
        "diffray",
        "warp.examples.optim.example_diffray",
        ("--device", "cpu", "--train-iters", "3", "--height", "64", "--headless"),
        plain_s=1.1,
    ),
    # 32 x 32 cells instead of 512 x 512; eight steps in eight checkpointed segments, Adam.
    Program(
        "fluid_checkpoint",
        "warp.examples.optim.example_fluid_checkpoint",
        ("--device", "cpu", "--num-frames", "8", "--train-iters", "3", "--pressure-iterations", "8", "--headless"),
        plain_s=0.8,
        options=("--set", "N_GRID=32"),
    ),
    # 10 x 10 cells; the adjoint passes through an implicit solve by hand.
    Program(
        "darcy",
        "warp.examples.fem.example_darcy_ls_optimization",
        ("--device", "cpu", "--resolution", "10", "--num-iters", "3", "--headless"),
        plain_s=2.6,
    ),
    # Forward and backward in one captured graph; 288 steps, and differences of its own before it trains.
    Program("ball", "newton.examples.diffsim.example_diffsim_ball", NEWTON_ARGUMENTS, plain_s=7.3),
    # 1,920 steps of 289 particles in one captured graph.
    Program("cloth", "newton.examples.diffsim.example_diffsim_cloth", NEWTON_ARGUMENTS, plain_s=10.8),
    # 30 steps in one captured graph; the parameter is the springs' rest lengths.
    Program("spring_cage", "newton.examples.diffsim.example_diffsim_spring_cage", NEWTON_ARGUMENTS, plain_s=6.8),
)


def main() -> int:
    arguments = _arguments()
    chosen = [program for program in PROGRAMS if not arguments.names or program.name in arguments.names]
    REPORTS.mkdir(parents=True, exist_ok=True)
    print(f"{'program':18s} {'verdict':10s} {'exit':>4s} {'seconds':>8s} {'plain':>6s} {'runs':>5s}  parameters")
    failures = 0
    for program in chosen:
        judged = _judge(program, arguments.limit, arguments.python)
        print(_line(program, judged), flush=True)
        failures += judged.verdict not in ("correct", "undecided")
        kept = judged.report if judged.report is not None else {"messages": judged.messages}
        (REPORTS / f"{program.name}.json").write_text(json.dumps(kept, indent=1) + "\n")
    return 1 if failures else 0


def _judge(program: Program, limit_s: float, python: "Path | None") -> Judged:
    """In an empty folder, so that a file the program leaves behind would show."""
    interpreter = ["--python", str(python.absolute())] if python else []
    with tempfile.TemporaryDirectory(prefix="real-") as folder:
        judged = judge(
            [*interpreter, *program.options, "-m", program.module, "--", *program.arguments],
            limit_s,
            Path(folder),
            program.environment,
        )
        left = sorted(path.name for path in Path(folder).iterdir())
    if left:
        print(f"{program.name} left files behind: {', '.join(left)}", file=sys.stderr)
    return judged


def _line(program: Program, judged: Judged) -> str:
    report: dict[str, Any] = judged.report or {"cost": {}, "parameters": []}
    executions = report["cost"].get("executions") or "-"
    parameters = ", ".join(f"{p['name']}: {p['verdict']}{_ratio(p)}" for p in report["parameters"])
    return (
        f"{program.name:18s} {judged.verdict:10s} {judged.exit_code:4d} {judged.seconds:8.1f} {program.plain_s:6.1f} "
        f"{executions!s:>5s}  {parameters or '-'}"
    )


def _ratio(parameter: "dict[str, Any]") -> str:
    """Autodiff over measured and the oracle, from the first check that has a ratio."""
    for check in parameter["checks"]:
        if isinstance(check.get("ratio"), float | int):
            return f" ({check['ratio']:.4g}, {check['oracle']})"
    return ""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Judge programs that other projects ship.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(p.name for p in PROGRAMS)}")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for each program (default 600)")
    parser.add_argument("--python", type=Path, help="interpreter the programs run in (default: this one)")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - {program.name for program in PROGRAMS}
    if unknown:
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    return arguments


if __name__ == "__main__":
    sys.exit(main())
