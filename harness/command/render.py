"""``python -m harness.run render NAME --set VARIABLE=VALUE … --output FILE``: a script from a template."""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.command.packages import check_packages
from harness.options import UsageError

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

EPILOG = """\
examples:
  python -m harness.run render --list
  python -m harness.run render fd_check --help
  python -m harness.run render fd_check --set script=train.py --set 'parameters=["params"]' --output fd_check.py
  python -m harness.run render fd_check --set forward=sim.py:loss --set 'parameters={"gain": [1.0, 0.4]}'

Values are Python literals or JSON, else plain text. A rendered script stands alone: it needs Warp and numpy, runs your
file as it is, prints a summary and one line of JSON, and leaves with 0 correct, 1 wrong, 2 usage, 3 undecided,
4 the program failed.
"""


def run(arguments: list[str]) -> int:
    """Render a template to a file or to standard output.

    Raises:
        UsageError: a name or a variable is wrong, or the file exists.
    """
    parsed = _parser().parse_args(arguments)
    check_packages()
    if parsed.list:
        print(_listing(), end="")
    elif parsed.name is None:
        _parser().print_help()
    elif parsed.help:
        print(_page(parsed.name), end="")
    else:
        _render(parsed)
    return 0


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m harness.run render",
        description="Render a template into a script of its own that checks one thing about a Warp gradient.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        add_help=False,
    )
    made.add_argument("name", nargs="?", metavar="NAME", help="template; --list shows them")
    made.add_argument(
        "--set", action="append", default=[], dest="settings", metavar="VARIABLE=VALUE", help="a variable"
    )
    made.add_argument("--output", metavar="FILE", help="file to write (standard output)")
    made.add_argument("--force", action="store_true", help="overwrite --output if it exists")
    made.add_argument("--list", action="store_true", help="all templates, and what each answers")
    made.add_argument("-h", "--help", action="store_true", help="this text; with NAME, the variables of the template")
    return made


def _render(parsed: argparse.Namespace) -> None:
    from harness.templates import render

    given = _settings(parsed.settings)
    text = render(parsed.name, given)
    if parsed.output is None:
        sys.stdout.write(text)
        return
    try:
        with open(parsed.output, "w" if parsed.force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"`{parsed.output}` exists; choose another --output, or overwrite it with --force.") from None
    except OSError as error:
        raise UsageError(f"`{parsed.output}` cannot be written: {error.strerror}.") from None
    suffix = Path(parsed.output).suffix
    print(f"{parsed.name}: written to {parsed.output}" + (f". Run: python {parsed.output}" if suffix == ".py" else ""))


def _settings(settings: list[str]) -> dict[str, Any]:
    from harness.templates.values import parse

    given: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"`--set {setting}` is not VARIABLE=VALUE, for example --set script=train.py.")
        if name in given:
            raise UsageError(f"`{name}` is set twice; give it one value.")
        given[name] = parse(text)
    return given


def _listing() -> str:
    from harness.templates import TEMPLATES

    width = max(map(len, TEMPLATES))
    indent = " " * (width + 2)
    rows = [
        textwrap.fill(_question(name), 100, initial_indent=f"{name:{width}}  ", subsequent_indent=indent)
        for name in TEMPLATES
    ]
    return "\n".join([*rows, "", "Variables of one: python -m harness.run render NAME --help", ""])


def _question(name: str) -> str:
    from harness.templates.rendering import model_of

    return " ".join((model_of(name).__doc__ or "").split())


def _page(name: str) -> str:
    from harness.templates.rendering import command, model_of
    from harness.templates.variables import ScriptVariables

    fields = model_of(name).model_fields
    shared_last = sorted(fields, key=lambda variable: variable in ScriptVariables.model_fields)
    lines = [f"{name}: {_question(name)}", "", "variables:"]
    for variable in shared_last:
        field = fields[variable]
        lines.append(f"  {variable}{'' if field.is_required() else f' = {_default(field)}'}")
        lines.append(textwrap.indent(textwrap.fill(_meaning(field), 92), "      "))
    return "\n".join([*lines, "", "example:", f"  {command(name)}", ""])


def _default(field: FieldInfo) -> str:
    return repr(field.get_default(call_default_factory=True))


def _meaning(field: FieldInfo) -> str:
    required = "required; " if field.is_required() else ""
    examples = " or ".join(str(example) for example in field.examples or ())
    return f"{required}{field.description}" + (f"; for example {examples}" if examples else "")
