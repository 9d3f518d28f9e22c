"""Fill a template with checked variables."""

from __future__ import annotations

import difflib
import json
import shlex
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from harness.options import UsageError
from harness.templates.evidence import probe, report
from harness.templates.values import NotALiteral, Printable, literal
from harness.templates.variables import TEMPLATES, Variables

_SHARE = Path("share", "warp-debug-gradients", "templates")
_PROBE = "_output.py.j2"


def folder() -> Path:
    """Where the templates are: beside the package, or where installing it put them.

    Raises:
        UsageError: they are in neither place.
    """
    beside = Path(__file__).resolve().parents[2] / "templates"
    places = [beside, *(Path(sysconfig.get_path("data", scheme)) / _SHARE for scheme in sysconfig.get_scheme_names())]
    for place in places:
        if (place / _PROBE).is_file():
            return place
    raise UsageError(
        f"The templates are missing: they should be in {beside}. Copy the whole folder of this skill, or install it "
        "again with pip."
    )


def file_name(name: str) -> str:
    """The file of a template; what is rendered has this name without `.j2`."""
    return f"{name}.md.j2" if name == "report" else f"{name}.py.j2"


def render(name: str, given: dict[str, Any]) -> str:
    """The filled template.

    Raises:
        UsageError: there is no such template, or a variable is missing, unknown or of the wrong kind.
    """
    variables = checked(name, given)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder()),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_only_printable,
        autoescape=False,
    )
    environment.filters |= {"literal": literal} if file_name(name).endswith(".py.j2") else _markdown()
    try:
        return environment.get_template(file_name(name)).render(template=name, **dict(variables))
    except NotALiteral as error:
        raise UsageError(f"A variable of `{name}` cannot be used: {error}.") from None


def checked(name: str, given: dict[str, Any]) -> Variables:
    """The variables of a template, with defaults.

    Raises:
        UsageError: says which variable is at fault, and shows a command that works.
    """
    model = model_of(name)
    try:
        return model(**given)
    except ValidationError as error:
        faults = "\n".join(f"  {_fault(detail, model)}" for detail in _distinct(error))
        raise UsageError(
            f"`{name}` cannot be rendered:\n{faults}\nFor example: {command(name)}\n"
            f"Its variables: python -m harness.run render {name} --help"
        ) from None


def model_of(name: str) -> type[Variables]:
    """The model of a template's variables.

    Raises:
        UsageError: there is no such template.
    """
    if name in TEMPLATES:
        return TEMPLATES[name]
    close = difflib.get_close_matches(name.replace("-", "_").removesuffix(".py"), TEMPLATES, n=1, cutoff=0.5)
    hint = f"Did you mean `{close[0]}`? " if close else ""
    raise UsageError(f"There is no template `{name}`. {hint}All of them: {', '.join(TEMPLATES)}.")


def command(name: str) -> str:
    """A command that renders the template, with the values of its example."""
    settings = " ".join(
        f"--set {shlex.quote(f'{key}={_given(value)}')}" for key, value in model_of(name).example.items()
    )
    output = "report.md" if name == "report" else f"{name}.py"
    return " ".join(f"python -m harness.run render {name} {settings} --output {output}".split())


def _given(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _markdown() -> dict[str, Callable[..., Any]]:
    """Filters of Markdown templates: text that is no markup, code blocks, and what JSON files say."""
    from harness.report import markdown

    return {
        "prose": lambda text: Printable(markdown.prose(str(text))),
        "cell": lambda text: Printable(markdown.prose(str(text)).replace("|", "\\|")),
        "fenced": lambda text, language: Printable(markdown.fenced(text.rstrip("\n"), language)),
        "number": lambda value: Printable("" if value is None else f"{value:.4g}"),
        "report": lambda path: Printable(markdown.render(report(path)).replace("\n#", "\n##").strip("\n")),
        "probe": probe,
    }


def _only_printable(value: Any) -> Any:
    """What no filter made safe is not printed, so that no value of a variable can become code or markup."""
    if isinstance(value, Printable | jinja2.Undefined):
        return value
    raise NotALiteral(f"a template printed {value!r} without a filter")


def _distinct(error: ValidationError) -> list[ErrorDetails]:
    """One fault for each variable. A union reports one for each member: what our own checks say tells most."""
    found: dict[tuple[int | str, ...], ErrorDetails] = {}
    for detail in error.errors():
        if detail["loc"][:1] not in found or detail["type"] == "value_error":
            found[detail["loc"][:1]] = detail
    return list(found.values())


def _fault(detail: ErrorDetails, model: type[Variables]) -> str:
    variable = str(detail["loc"][0]) if detail["loc"] else ""
    if detail["type"] == "missing":
        return f"`{variable}` is missing: {model.model_fields[variable].description}."
    if detail["type"] == "extra_forbidden":
        close = difflib.get_close_matches(variable, model.model_fields, n=1, cutoff=0.5)
        return f"`{variable}` is no variable of it" + (f"; did you mean `{close[0]}`?" if close else ".")
    said = detail["msg"].removeprefix("Value error, ")
    if not variable:
        return f"{said}."
    return f"`{variable}`: {said[:1].lower() + said[1:]}; {detail['input']!r} was given."
