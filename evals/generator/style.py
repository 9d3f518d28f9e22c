"""What varies with the seed: names, sizes, constants, structure."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evals.generator.hosts import Host

_CHOICES: dict[str, tuple[str | bool, ...]] = {
    "layout": ("script", "functions", "class", "modules"),
    "law": ("square", "squash", "native", "series", "root", "sinc", "staged", "vector", "phase"),
    "readout": ("bent", "window", "lag", "triple", "scale", "pairs", "slots", "direct"),
    "form": ("history", "fresh", "history", "fresh", "history", "fresh", "windows", "segments"),
    "loss": ("scalar", "scalar", "seeded"),
    "cost_grad": (True, False),
    "reported": ("sum", "mean"),
    "penalty": (True, False),
    "gain": (True, False),
    "tape": ("fresh", "fresh", "reused"),
    "clearing": ("tape", "arrays"),
    "rule": ("sgd", "momentum", "optim"),
    "post": ("none", "normalise", "release", "rewind", "flat", "smooth"),
    "log_gradient": (True, False, False),
}
_NAMES: dict[str, tuple[str, ...]] = {
    "p": ("p", "raw", "theta_in"), "gain": ("gain", "scale", "amplifier"), "readout": ("observe", "sense", "readout"),
    "misfit": ("misfit", "compare", "squared_error"), "penalty": ("keep_small", "regularise", "prior"),
    "loss": ("loss", "cost", "objective"), "cost": ("per_reading", "errors", "residual_cost"),
    "law_fn": ("saturate", "squash", "response"), "law_data": ("weight", "setting", "exposure"),
    "terms": ("TERMS", "ORDER", "N_TERMS"), "mask": ("active", "valid", "used_sensors"),
    "start": ("_start", "0", "_init"), "it": ("it", "epoch", "step"), "g": ("g", "grad", "direction"),
    "lr": ("LR", "RATE", "ETA"), "derive": ("coefficients", "material", "prepare"),
    "advance": ("simulate", "rollout", "run"), "measure": ("measure", "score", "evaluate"),
    "frame": ("frame", "picture", "snapshot"), "smooth": ("fold_halves", "average_halves", "overlay"),
}  # fmt: skip
_CONSTANTS = {
    "lo": (0.2, 0.35), "a": (0.35, 0.6), "b": (0.4, 0.8), "d": (0.25, 0.45), "r": (0.3, 0.6),
    "weight": (0.01, 0.03), "momentum": (0.3, 0.6),
}  # fmt: skip
_REMARKS = ("", "", "  # tuned by hand", "  # larger ones overshoot", "  # took me a day to find", "  # from May")


@dataclass(frozen=True)
class Choice:
    """Everything that a template is filled with, apart from the faults and what is measured."""

    host: Host
    style: Mapping[str, Any]
    names: Mapping[str, str]
    constants: Mapping[str, Any]
    sizes: Mapping[str, int]
    start: tuple[float, ...]
    """Of the parameters."""
    true: tuple[float, ...]
    """Values behind the measurements."""
    law_data: tuple[float, ...]
    mask: tuple[int, ...]
    files: Mapping[str, str]
    print_format: str
    pattern: str
    adam: bool
    remark: str
    """Behind the learning rate."""


def choose(host: Host, needs: Mapping[str, tuple[str | bool, ...]], rng: random.Random) -> Choice:
    """Draw everything for one case; ``needs`` restricts the style."""
    style = _style(host, needs, rng)
    names = {key: rng.choice(pool) for key, pool in {**_NAMES, **host.names, **host.states}.items()}
    names = _distinct(names)
    names["class_name"] = rng.choice(host.class_names)
    constants: dict[str, Any] = {k: round(rng.uniform(*v), 2) for k, v in {**_CONSTANTS, **host.floats}.items()}
    constants |= {"terms": rng.randint(5, 8), "depth": rng.randint(3, 5), "every": rng.choice((2, 3, 5))}
    n = rng.choice(host.N)
    m = n if host.M == "N" else n - 1
    steps = rng.randint(*host.steps)
    windows = rng.choice((2, 3))
    if style["form"] in ("windows", "segments"):
        steps = max(4, round(steps * 0.6))
    sizes = {"N": n, "M": m, "STEPS": steps, "WINDOWS": windows, "ITERS": rng.choice((24, 30, 36))}
    true = tuple(round(rng.uniform(0.5, 1.1), 2) for _ in range(m))
    sign = rng.choice((-1, 1))
    start = tuple(round(t + sign * rng.uniform(0.2, 0.4), 2) for t in true)
    law_data: tuple[float, ...] = ()
    if style["law"] in ("root", "sinc"):
        law_data = tuple(0.0 if i == m // 2 else round(rng.uniform(0.5, 1.5), 2) for i in range(m))
    mask = [1] * n
    for i in rng.sample(range(1, n - 1), max(1, n // 4)):
        mask[i] = 0
    label = names["loss"]
    print_format, pattern = rng.choice((
        (f"{{{names['it']}}} {label} {{value:.6g}}", f"{{_}} {label} {{}}"),
        (f"iter {{{names['it']}:3d}}  {label} = {{value:.6g}}", f"iter {{_}} {label} = {{}}"),
        (f"[{{{names['it']}:02d}}] {label}: {{value:.6g}}", f"{label}: {{}}"),
    ))  # fmt: skip
    files = {"main": rng.choice(host.files) + ".py", "kernels": rng.choice(host.kernel_files) + ".py"}
    return Choice(
        host, style, names, constants, sizes, start, true, law_data, tuple(mask), files, print_format, pattern,
        rng.random() < 0.5, rng.choice(_REMARKS),
    )  # fmt: skip


def _style(host: Host, needs: Mapping[str, tuple[str | bool, ...]], rng: random.Random) -> dict[str, Any]:
    style: dict[str, Any] = {}
    for key, pool in _CHOICES.items():
        allowed = needs.get(key)
        left = tuple(value for value in pool if allowed is None or value in allowed)
        style[key] = rng.choice(left)
    if style["form"] == "segments" and len(host.states) < 2:
        style["form"] = "windows"
    if style["form"] in ("windows", "segments"):
        style |= {"loss": "scalar", "tape": "fresh", "penalty": False, "post": "none", "log_gradient": False}
    if style["tape"] == "reused" and "tape" not in needs and "loss" in needs:
        style["tape"] = "fresh"
    if style["tape"] == "reused":
        style["loss"] = "scalar"
    if style["loss"] == "seeded":
        style |= {"penalty": False, "log_gradient": False}
    return style


def _distinct(names: dict[str, str]) -> dict[str, str]:
    """Names with a number where two would be the same."""
    seen = {*"ijqsumdtwfn", "after", "total", "term", "value", "tape", "seed"}
    found = {}
    for key, name in names.items():
        fresh = name
        while fresh in seen:
            fresh = f"{fresh}_{key}" if len(key) > 1 else f"{fresh}{key}"
        seen.add(fresh)
        found[key] = fresh
    return found
