"""What the user can set: by flag, else by environment, else in `pyproject.toml`; each setting is named in one table."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from harness.agent.prices import price_of
from harness.options import UsageError

EFFORTS: Final = ("low", "medium", "high", "xhigh", "max")
ENVIRONMENT_PREFIX: Final = "WARP_GRADIENT_AGENT_"
PYPROJECT_TABLE: Final = "tool.warp-debug-gradients.agent"
KEYS: Final = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")


@dataclass(frozen=True)
class Settings:
    """Settings of one run. Where the key goes is not among them: a project's `pyproject.toml` must not decide that."""

    model: str = "claude-opus-5-5"
    effort: str | None = None
    max_replies: int = 40
    max_tokens: int = 2_000_000
    max_cost: float = 5.0
    max_seconds: float = 1800.0
    reply_tokens: int = 16_000
    request_seconds: float = 300.0
    retries: int = 5
    max_wait: float = 60.0
    tool_seconds: float = 900.0
    tool_characters: int = 20_000
    price: str | None = None


@dataclass(frozen=True)
class _Setting:
    flag: str
    kind: type
    metavar: str | None
    help: str
    least: float = 0.0


SETTINGS: Final[dict[str, _Setting]] = {
    "model": _Setting("--model", str, "NAME", "the model"),
    "effort": _Setting("--effort", str, "LEVEL", "how much effort: " + ", ".join(EFFORTS)),
    "max_replies": _Setting("--max-replies", int, "N", "replies of the model", 1),
    "max_tokens": _Setting("--max-tokens", int, "N", "tokens of all replies, in and out, cached ones included", 1),
    "max_cost": _Setting("--max-cost", float, "USD", "US dollars"),
    "max_seconds": _Setting("--max-seconds", float, "S", "wall time of the conversation", 1),
    "reply_tokens": _Setting("--reply-tokens", int, "N", "longest reply, in tokens", 64),
    "request_seconds": _Setting("--request-seconds", float, "S", "longest wait for one reply", 0.1),
    "retries": _Setting("--retries", int, "N", "tries again in a row when the service is busy or silent"),
    "max_wait": _Setting("--max-wait", float, "S", "longest wait before a try, whatever the service asks for"),
    "tool_seconds": _Setting("--tool-seconds", float, "S", "longest run of one tool", 1),
    "tool_characters": _Setting("--tool-characters", int, "N", "most that one tool returns at a time", 500),
    "price": _Setting("--price", str, "IN,OUT", "US dollars per million tokens, for a model that is not in the table"),
}


def add_arguments(parser: Any) -> None:
    """One flag for each setting; a flag that is not given leaves None."""
    default = Settings()
    for name, setting in SETTINGS.items():
        value = getattr(default, name)
        shown = "" if value is None else f" ({value:g})" if isinstance(value, float) else f" ({value})"
        parser.add_argument(
            setting.flag, dest=name, type=setting.kind, metavar=setting.metavar, help=setting.help + shown
        )


def settings_of(parsed: argparse.Namespace, environment: Mapping[str, str], folder: Path) -> Settings:
    """The settings in force. ``folder``: where the search for `pyproject.toml` begins, upwards.

    Raises:
        UsageError: a value that cannot be; the message says where it comes from.
    """
    chosen: dict[str, Any] = {}
    table, source = _pyproject(folder)
    for name, value in table.items():
        chosen[_known(name, source)] = _checked(_known(name, source), value, f"`{name}` in {source}")
    for name in SETTINGS:
        variable = ENVIRONMENT_PREFIX + name.upper()
        if environment.get(variable):
            chosen[name] = _checked(name, environment[variable], f"`{variable}`")
        if getattr(parsed, name) is not None:
            chosen[name] = _checked(name, getattr(parsed, name), f"`{SETTINGS[name].flag}`")
    settings = Settings(**chosen)
    if price_of(settings.model, settings.price) is None:
        raise UsageError(
            f"The price of `{settings.model}` is not known, so --max-cost cannot hold. Give it in US dollars per "
            "million tokens, for example --price 4,20."
        )
    return settings


def key_of(environment: Mapping[str, str]) -> tuple[str, str] | None:
    """Name and value of the variable that holds the key; None if there is none."""
    return next(((name, environment[name]) for name in KEYS if environment.get(name, "").strip()), None)


def _known(name: str, source: str) -> str:
    field_name = name.replace("-", "_")
    if field_name not in {field.name for field in fields(Settings)}:
        raise UsageError(f"`{name}` in {source} is no setting of the agent; there are: {', '.join(SETTINGS)}.")
    return field_name


def _checked(name: str, value: Any, source: str) -> Any:
    setting = SETTINGS[name]
    try:
        converted = setting.kind(value)
    except (TypeError, ValueError):
        raise UsageError(f"{source} has to be a number, not `{value}`.") from None
    if setting.kind is not str and not (setting.least <= converted < float("inf")):
        raise UsageError(f"{source} has to be at least {setting.least:g}, not {converted:g}.")
    if name == "effort" and converted not in EFFORTS:
        raise UsageError(f"{source} has to be one of {', '.join(EFFORTS)}, not `{converted}`.")
    if setting.kind is str and not converted:
        raise UsageError(f"{source} is empty.")
    return converted


def _pyproject(folder: Path) -> tuple[dict[str, Any], str]:
    for place in (folder, *folder.parents):
        path = place / "pyproject.toml"
        if path.is_file():
            return _table(path), f"[{PYPROJECT_TABLE}] of {os.path.relpath(path)}"
    return {}, ""


def _table(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8", errors="replace")
    if PYPROJECT_TABLE.rpartition(".")[2] not in text or "warp-debug-gradients" not in text:
        return {}
    try:
        import tomllib
    except ImportError:  # Python 3.10
        try:
            import tomli as tomllib  # type: ignore[import-not-found,no-redef,unused-ignore]
        except ImportError:
            return {}
    try:
        found: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"`{path}` cannot be read: {error}.") from None
    for part in PYPROJECT_TABLE.split("."):
        found = found.get(part, {}) if isinstance(found, dict) else {}
    return found if isinstance(found, dict) else {}
