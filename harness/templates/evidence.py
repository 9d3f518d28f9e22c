"""What is read from files into the report template."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from harness.options import UsageError
from harness.schema import ProbeResult, Report


def report(path: str) -> Report:
    """The JSON report in a file.

    Raises:
        UsageError: there is none.
    """
    try:
        return Report.model_validate_json(_text(path))
    except ValidationError as error:
        raise UsageError(
            f"`{path}` is no JSON report ({_first(error)}). Write one with: python -m harness.run SCRIPT --format json "
            f"--output {path}"
        ) from None


def probe(path: str) -> ProbeResult:
    """The answer of a rendered script: the last line of the file.

    Raises:
        UsageError: there is none.
    """
    lines = _text(path).splitlines() or [""]
    try:
        return ProbeResult.model_validate_json(lines[-1])
    except ValidationError as error:
        raise UsageError(
            f"The last line of `{path}` is no answer of a rendered script ({_first(error)}). Write it with: "
            f"python SCRIPT.py > {path}"
        ) from None


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"`{path}` cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def _first(error: ValidationError) -> str:
    detail = error.errors()[0]
    place = ".".join(map(str, detail["loc"]))
    return f"{place}: {detail['msg']}" if place else detail["msg"]
