"""Takes secrets and the user's home folder out of text before it is shown, stored or sent."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from harness.agent.sandbox import is_secret

# What keys look like, whoever they belong to.
_KEYS = re.compile(r"sk-ant-[A-Za-z0-9_\-]{8,}|sk-[A-Za-z0-9_\-]{20,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16}")
_SHORTEST = 8
HIDDEN = "[secret]"


class Scrubber:
    """Knows the secrets of an environment."""

    def __init__(self, environment: Mapping[str, str], home: str | None = None) -> None:
        values = {value for name, value in environment.items() if is_secret(name) and len(value) >= _SHORTEST}
        # A longer secret may contain a shorter one.
        self._secrets = sorted(values, key=len, reverse=True)
        self._home = os.path.expanduser("~") if home is None else home

    def secrets(self, text: str) -> str:
        """The text without secrets, and fit to be written."""
        text = well_formed(text)
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return _KEYS.sub(HIDDEN, text)

    def text(self, text: str) -> str:
        """The text without secrets and without the path of the home folder."""
        text = self.secrets(text)
        if len(self._home) > 1:
            text = re.sub(re.escape(self._home) + r"(?![\w.-])", "~", text)
        return text

    def secrets_in(self, value: Any) -> Any:
        """The same for all strings of a JSON value."""
        return mapped(value, self.secrets)

    def value(self, value: Any) -> Any:
        """`text` for all strings of a JSON value."""
        return mapped(value, self.text)


def well_formed(text: str) -> str:
    """The text without halves of surrogate pairs, which a model may send and which no file or request can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def mapped(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with all its strings changed, names included."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key) if isinstance(key, str) else key: mapped(item, change) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [mapped(item, change) for item in value]
    return value
