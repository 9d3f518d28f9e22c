"""Templates to files: the program with or without its faults, their lines, the reference."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from evals.generator.hosts import HOSTS
from evals.generator.style import Choice

_SHARED = Path(__file__).parent / "shared"
_SPREAD = re.compile(r"^( *)(def \w+|wp\.launch)\(( *#![a-z-]+)?\n((?:\1    [^\n]+\n)+)\1\)(:?)", re.MULTILINE)
_NOTHING = "\0"
_MARKER = re.compile(r" *#!([a-z-]+)")


@dataclass
class Rendered:
    """Files, without markers."""

    files: dict[str, str] = field(default_factory=dict)
    places: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    """File and line of every marker, by its word."""

    def add(self, name: str, text: str) -> None:
        """Take a file in: remove its markers, keep where they were."""
        lines: list[str] = []
        for line in _tidy(text):
            for word in _MARKER.findall(line):
                self.places.setdefault(word, []).append((name, len(lines) + 1))
            lines.append(_MARKER.sub("", line).rstrip())
        self.files[name] = "\n".join(lines) + "\n"


def program(choice: Choice, faults: Collection[str], seen: list[float], rate: float) -> Rendered:
    """The program of a case."""
    values = _values(choice, faults, seen, rate)
    kernels, training = (_render("program.j2", {**values, "section": part}) for part in ("kernels", "training"))
    doc = f'"""{values["doc"]}"""\n'
    rates = "" if choice.style["rule"] == "optim" else f"{choice.names['lr']} = {rate:g}{choice.remark}\n"
    optimizer = f"from warp.optim import {values['optimizer']}\n" if choice.style["rule"] == "optim" else ""
    imports = f"import numpy as np\nimport warp as wp\n{optimizer}"
    rendered = Rendered()
    if choice.style["layout"] == "modules":
        names = re.findall(r"^def (\w+)", kernels, re.MULTILINE) + re.findall(r"^([A-Z_]+) =", kernels, re.MULTILINE)
        used = sorted({name for name in names if re.search(rf"\b{name}\b", training)})
        module = choice.files["kernels"].removesuffix(".py")
        rendered.add(choice.files["kernels"], f'"""The physics."""\n\nimport warp as wp\n\n\n{kernels}')
        head = f"{doc}\n{imports}\nfrom {module} import {', '.join(used)}\n\n{rates}"
        rendered.add(choice.files["main"], f"{head}\n{training}")
    else:
        rendered.add(choice.files["main"], f"{doc}\n{imports}\n{rates}\n\n{kernels}\n\n{training}")
    return rendered


def reference(choice: Choice, seen: list[float]) -> str:
    """``reference.py``."""
    text = _render("reference.j2", _values(choice, (), seen, 0.0))
    return "\n".join(_tidy(text)) + "\n"


def _values(choice: Choice, faults: Collection[str], seen: list[float], rate: float) -> dict[str, Any]:
    host, style, names, sizes = choice.host, choice.style, choice.names, choice.sizes
    s = "self." if style["layout"] == "class" else ""
    reused = style["tape"] == "reused"
    return {
        "host_file": f"{host.name}/program.py.j2",
        "reference_file": f"{host.name}/reference.py.j2",
        "f": frozenset(faults).__contains__,
        "st": style,
        "n": names,
        "k": choice.constants,
        "c": sizes,
        "M": sizes["M"],
        "K": sizes["N"] // 2 if style["readout"] == "pairs" else sizes["N"] * (1 + (style["readout"] == "slots")),
        "s": s,
        "states": list(host.states),
        "x_dtype": next(iter(host.dtypes.values())),
        "acc": {"size": sizes[host.acc.size], "dtype": host.acc.dtype} if host.acc else None,
        "inline": style["layout"] == "script",
        "tape": f"{s}tape" if reused else "tape",
        "loss": f"{s}{names['loss']}" if reused else names["loss"],
        "loss_argument": names["loss"],
        "p_start": list(choice.start),
        "gain_start": 1.0 if not style["gain"] else 0.8,
        "law_data": list(choice.law_data),
        "mask": list(choice.mask),
        "seen": seen,
        "lr": f"{rate:g}",
        "optimizer": "Adam" if choice.adam else "SGD",
        "print_format": choice.print_format,
        "doc": host.docs[sum(map(ord, names["params"])) % len(host.docs)],
    }


def _render(template: str, values: Mapping[str, Any]) -> str:
    return _environment().get_template(template).render(values)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([HOSTS, _SHARED]), undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True, autoescape=False,
    )  # fmt: skip
    environment.filters |= {"marked": _marked, "block": _block}
    return environment


def _marked(text: str, word: str) -> str:
    """Every line of code with a marker at its end."""
    return "".join(f"{line}  #!{word}\n" if line.strip(f" {_NOTHING}") else f"{line}\n" for line in text.splitlines())


def _block(text: str, width: int) -> str:
    """The lines indented, without the last line break; a mark that removes the whole line if there are none."""
    return "\n".join(" " * width + line if line else "" for line in text.strip("\n").splitlines()) or _NOTHING


def _joined(found: re.Match[str]) -> str:
    """A definition or a call that is spread over lines on one line, if that is not too long."""
    indent, head, mark, inside, colon = found.groups()
    parts = " ".join(line.strip() for line in inside.splitlines()).rstrip(",")
    line = f"{indent}{head}({parts}){colon}"
    return f"{line}{mark or ''}" if len(line) <= 116 and "#" not in parts else found[0]


def _tidy(text: str) -> list[str]:
    """Lines with two empty ones before a definition at the top, one before a method and none within blocks."""
    lines: list[str] = []
    for line in _SPREAD.sub(_joined, text.strip()).splitlines():
        line = line.rstrip()
        if _NOTHING in line and not line.strip(f" {_NOTHING}"):
            continue
        previous = lines[-1] if lines else ""
        if line.startswith("    def "):
            while lines and not lines[-1]:
                lines.pop()
            lines += [""] * (not lines[-1].startswith("class "))
        elif re.match(r"@|def |class |if __name__", line) and not previous.startswith("@"):
            while lines and not lines[-1]:
                lines.pop()
            lines += ["", ""] if lines else []
        elif line.startswith(" "):
            while lines and not lines[-1]:
                lines.pop()
        elif not line and lines[-2:] == ["", ""]:
            continue
        lines.append(line)
    return lines
