"""Where settings come from, what they cost, and what may not be set."""

from __future__ import annotations

import argparse
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.agent.budget import Meter, Spent
from harness.agent.prices import Price, price_of
from harness.agent.settings import Settings, add_arguments, key_of, settings_of
from harness.options import UsageError


def _settings(folder: Path, *flags: str, **environment: str) -> Settings:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return settings_of(parser.parse_args(list(flags)), environment, folder)


def _pyproject(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.warp-debug-gradients.agent]\n{text}\n")


def test_a_flag_goes_before_the_environment_and_that_before_pyproject(tmp_path: Path) -> None:
    pytest.importorskip("tomllib")
    _pyproject(tmp_path, 'model = "claude-haiku-5-5"\nmax-cost = 1\nmax_replies = 7')
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    found = _settings(
        below, "--max-replies", "9", WARP_GRADIENT_AGENT_MAX_COST="2", WARP_GRADIENT_AGENT_MAX_REPLIES="8"
    )
    assert (found.model, found.max_cost, found.max_replies) == ("claude-haiku-5-5", 2.0, 9)


@pytest.mark.parametrize(
    "text", ['base_url = "http://evil"', 'api_key = "x"', "max-cost = -1", 'effort = "huge"', "max_replies = 0"]
)
def test_a_project_cannot_set_the_address_the_key_or_nonsense(tmp_path: Path, text: str) -> None:
    pytest.importorskip("tomllib")
    _pyproject(tmp_path, text)
    with pytest.raises(UsageError, match=r"pyproject\.toml"):
        _settings(tmp_path)


def test_pyproject_of_other_tools_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.other]\nagent = 1\n")
    assert _settings(tmp_path) == Settings()


def test_a_model_without_a_known_price_needs_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--price"):
        _settings(tmp_path, "--model", "someone-elses")
    assert _settings(tmp_path, "--model", "someone-elses", "--price", "1,2").price == "1,2"
    with pytest.raises(UsageError, match="INPUT,OUTPUT"):
        _settings(tmp_path, "--price", "cheap")


def test_a_dated_model_costs_what_the_undated_one_does() -> None:
    assert price_of("claude-haiku-4-5-20251001", None) == price_of("claude-haiku-4-5", None)
    assert price_of("claude-haiku-4-5-latest", None) is None


def test_cost_counts_each_sort_of_token() -> None:
    meter = Meter(Settings(), Price(4, 20, 5, 0.2), Spent())
    usage = SimpleNamespace(
        input_tokens=10**6, output_tokens=10**6, cache_creation_input_tokens=10**6, cache_read_input_tokens=10**6
    )
    assert meter.add(usage) == pytest.approx(29.2)
    assert meter.spent.tokens == 4 * 10**6


def test_the_key_comes_from_the_environment_only() -> None:
    assert key_of({}) is None
    assert key_of({"ANTHROPIC_API_KEY": " "}) is None
    assert key_of({"ANTHROPIC_AUTH_TOKEN": "t"}) == ("ANTHROPIC_AUTH_TOKEN", "t")
