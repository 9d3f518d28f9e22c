"""One case from a host, faults and a seed: files, answer, reference, fix, metric, prompt."""

from __future__ import annotations

import json
import math
import random
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evals.case import Case, Metric
from evals.corpus import StoredCase, load
from evals.generator.faults import Fault, hidden, requirements
from evals.generator.hosts import Host
from evals.generator.rendering import Rendered, program, reference
from evals.generator.style import Choice, choose
from evals.generator.symptoms import prompt, symptom
from evals.measure import Bench, FullRun
from evals.patch import apply_blocks, blocks, difference
from evals.truth import Array

_DIGITS = 4
_TRIES = 4


class NotUsable(Exception):
    """This draw makes no good case; another seed will."""


@dataclass(frozen=True)
class Draft:
    """A case before it has been run."""

    choice: Choice
    faults: tuple[Fault, ...]
    seen: list[float]
    reference: str


def draft(host: Host, faults: Sequence[Fault], seed: str) -> Draft:
    """Draw a case and the measurements that its program fits."""
    needs = requirements(faults)
    if needs is None:
        raise ValueError(f"these faults exclude each other: {[f.id for f in faults]}")
    choice = choose(host, needs, random.Random(seed))
    blank = reference(choice, [0.0])
    module = _module(blank)
    parameters = {choice.names["params"]: np.array(choice.true)}
    if choice.style["gain"]:
        parameters[choice.names["gain"]] = np.array([1.0])
    readings = list(module["rounds"](parameters))[-1]
    seen = [round(float(v), _DIGITS) for v in readings]
    return Draft(choice, tuple(faults), seen, reference(choice, seen))


def rate(made: Draft) -> float:
    """A learning rate that suits the curvature of the objective along its gradient."""
    choice = made.choice
    if choice.style["rule"] == "optim" and choice.adam:
        return 0.03
    objective = _module(made.reference)["objective"]
    names = [choice.names["params"]] + [choice.names["gain"]] * bool(choice.style["gain"])
    sizes = [choice.sizes["M"], 1]

    def at(x: Array) -> float:
        return float(objective({name: x[i * sizes[0] :][: sizes[i]] for i, name in enumerate(names)}, 0))

    x = np.array([*choice.start, 0.8][: sum(sizes[: len(names)])])
    g = np.array([(at(x + 1e-5 * e) - at(x - 1e-5 * e)) / 2e-5 for e in np.eye(x.size)])
    norm = float(np.linalg.norm(g))
    if norm < 1e-3:
        raise NotUsable("the objective hardly depends on the parameters")
    along = g / norm
    curvature = abs(at(x + 1e-2 * along) + at(x - 1e-2 * along) - 2 * at(x)) / 1e-4
    # No step moves the parameters by more than a few percent at the start, however flat it is there.
    found = min(0.4 / max(curvature, 1e-6), 0.08 * math.sqrt(x.size) / norm)
    if choice.style["rule"] == "momentum":
        found *= 0.5
    return float(f"{found:.2g}")


def build(bench: Bench, host: Host, faults: Sequence[Fault], seed: str, folder: Path) -> StoredCase:
    """Write a case into ``folder`` (its name is the id).

    Raises:
        NotUsable: drawn numbers make no good case.
    """
    made = draft(host, faults, seed)
    step = rate(made)
    # Windows share one set of measurements: what the earlier ones miss cannot be fitted.
    enough = 0.998 if made.choice.style["form"] == "windows" else 0.85
    for _ in range(_TRIES):
        clean = program(made.choice, (), made.seen, step)
        clean_run = _run(bench, made, clean)
        values = _printed(made.choice, clean_run.printed)
        if not clean_run.failure and values and math.isfinite(values[-1]) and values[-1] < enough * values[0]:
            break
        step = float(f"{step / 3:.2g}")
    else:
        raise NotUsable(f"the clean program does not fit: {clean_run.failure or values[:1] + values[-1:]}")
    shown = program(made.choice, [f.id for f in faults], made.seen, step)
    shown_run = _run(bench, made, shown) if faults else clean_run
    case = _case(made, shown, clean, shown_run, clean_run, folder.name, random.Random(f"{seed}-words"))
    if len(faults) > 1:
        for cause, fault in zip(case["expected"]["causes"], faults, strict=True):
            others = program(made.choice, [f.id for f in faults if f is not fault], made.seen, step)
            cause["blocks"] = _mends(shown.files, clean.files, others.files)
    _write(folder, case, shown, clean, made.reference)
    return load(folder)


def _case(
    made: Draft, shown: Rendered, clean: Rendered, shown_run: FullRun, clean_run: FullRun, name: str, rng: random.Random
) -> dict[str, Any]:
    choice = made.choice
    host, names, sizes = choice.host, choice.names, choice.sizes
    before, after = (_printed(choice, run.printed) for run in (shown_run, clean_run))
    limit = _threshold(before, after, shown_run.failure)
    found = symptom(before, shown_run.failure, after[-1]) if made.faults else "none"
    reach = limit if limit is not None else 2.0 * after[-1]
    words = {
        "file": choice.files["main"], "what": host.what, "subject": host.subject, "loss": names["loss"],
        "reach": f"{reach:.2g}", **{k: f"{v:.3g}" for k, v in _numbers(before).items()},
    }  # fmt: skip
    prefix = "self." if choice.style["layout"] == "class" else ""
    parameters = [{"name": names["params"], "names": [prefix + names["params"]], "shape": [sizes["M"]]}]
    if choice.style["gain"]:
        parameters.append({"name": names["gain"], "names": [prefix + names["gain"]], "shape": [1]})
    behind = hidden(made.faults, choice.style["gain"], choice.style["penalty"])
    case: dict[str, Any] = {
        "id": name,
        "title": f"{host.title}: {', '.join(f.id for f in made.faults) or 'nothing wrong'}",
        "family": f"{host.name}-{'-'.join(sorted({f.site for f in made.faults})) or 'control'}",
        "prompt": prompt(found, rng, words),
        "entry": choice.files["main"],
        "expected": {
            "verdict": "wrong" if made.faults else "correct",
            "causes": [_cause(f, shown, behind.get(f.id)) for f in made.faults],
        },
        "tags": ["generated", host.name, _tag(len(made.faults))],
        "parameters": parameters,
        "decoys": _decoys(shown, clean),
    }
    case["warp"] = {"min": max((f.since for f in made.faults if f.since), default=None)}
    if choice.style["loss"] == "seeded":
        case["truth"] = {"forward": {"pattern": choice.pattern}}
    if limit is not None:
        case["metric"] = Metric(pattern=choice.pattern, threshold=limit).model_dump()
    elif made.faults:
        case["metric_absent"] = "With the fault the program ends about as well as without it."
    else:
        case["metric_absent"] = "There is nothing to mend."
    return case


def _mends(shown: dict[str, str], clean: dict[str, str], others: dict[str, str]) -> list[int]:
    """Numbers of the changes of the whole fix that mend one fault alone; none if they are mixed up with others."""
    changes, wanted = blocks(shown, clean), blocks(shown, others)
    chosen = [number for number, change in enumerate(changes, 1) if change in wanted]
    return chosen if apply_blocks([changes[n - 1] for n in chosen], shown) == others else []


def _cause(fault: Fault, shown: Rendered, behind: Fault | None) -> dict[str, Any]:
    lines: dict[str, list[int]] = {}
    for file, line in shown.places[fault.id]:
        lines.setdefault(file, []).append(line)
    (file, first), *rest = lines.items()
    cause: dict[str, Any] = {"kind": fault.kind, "file": file, "lines": first, "why": fault.why}
    if rest:
        cause["elsewhere"] = [{"file": f, "lines": found} for f, found in rest]
    cause |= {k: v for k, v in (("mechanism", fault.mechanism), ("cause", fault.cause)) if v}
    if fault.also:
        cause["also_kinds"] = list(fault.also)
    if behind is not None:
        cause["hidden_behind"] = behind.kind
    return cause


def _decoys(shown: Rendered, clean: Rendered) -> list[dict[str, str]]:
    found = []
    for file, number in shown.places.get("decoy", []):
        snippet = shown.files[file].splitlines()[number - 1]
        if snippet in clean.files.get(file, ""):
            found.append({"file": file, "snippet": snippet.strip()})
    return found


def _threshold(before: list[float], after: list[float], failure: str) -> float | None:
    """Between where the two programs end; None if they end too close to each other."""
    low = after[-1]
    if failure or not before or not math.isfinite(before[-1]):
        return float(f"{max(low * 1.5, low + 0.1 * (after[0] - low)):.3g}")
    if before[-1] < 1.5 * low or before[-1] - low < 0.005 * after[0]:
        return None
    return float(f"{math.sqrt(max(low, 1e-9) * before[-1]):.3g}")


def _numbers(values: list[float]) -> dict[str, float]:
    finite = [v for v in values if math.isfinite(v)] or [0.0]
    return {"first": finite[0], "last": finite[-1], "best": min(finite)}


def _printed(choice: Choice, text: str) -> list[float]:
    pattern = re.sub(r"(?:\\ )+", r"\\s+", re.escape(choice.pattern))
    pattern = pattern.replace(re.escape("{_}"), r"\s*\S+").replace(re.escape("{}"), r"\s*(\S+)")
    return [float(value) for value in re.findall(pattern, text)]


def _run(bench: Bench, made: Draft, files: Rendered) -> FullRun:
    entry = made.choice.files["main"]
    stub = Case.model_validate({
        "id": "draft", "title": "draft", "family": "draft", "prompt": "draft", "entry": entry,
        "expected": {"verdict": "correct"}, "parameters": (), "truth": {"absent": "draft"},
    })  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="evals-draft-") as folder:
        _write_files(Path(folder), files)
        return bench.run(stub, Path(folder))


def _write(folder: Path, case: dict[str, Any], shown: Rendered, clean: Rendered, text: str) -> None:
    _write_files(folder / "files", shown)
    (folder / "case.json").write_text(json.dumps(case, indent=2) + "\n", encoding="utf-8")
    (folder / "reference.py").write_text(text, encoding="utf-8")
    if shown.files != clean.files:
        (folder / "fix.patch").write_text(difference(shown.files, clean.files), encoding="utf-8")


def _write_files(folder: Path, rendered: Rendered) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in rendered.files.items():
        (folder / name).write_text(text, encoding="utf-8")


def _module(text: str) -> dict[str, Callable[..., Any]]:
    namespace: dict[str, Any] = {}
    exec(compile(text, "reference.py", "exec"), namespace)
    return namespace


def _tag(count: int) -> str:
    return ("control", "one-fault", "two-faults")[count]
