"""SKILL.md and the references: sizes, files, kinds, options and commands that exist, blocks that are tested."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from pages_of_the_skill import REFERENCES, ROOT, SKILL, blocks, commands, front_matter, options, paths, prose

from harness.command import doctor, install, render, verify
from harness.command.arguments import overrides, parser, split
from harness.command.main import SUBCOMMANDS

PAGES = [SKILL, *REFERENCES]
by_name = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)

SUBPARSERS: dict[str, Callable[[], argparse.ArgumentParser]] = {
    "doctor": doctor.parser,
    "install": install.parser,
    "render": render._parser,
    "verify": verify.parser,
}


def test_the_values_of_the_front_matter_are_plain_yaml() -> None:
    fields, _ = front_matter(SKILL)
    for name in ("description", "compatibility"):
        assert fields[name]
        assert not re.search(r": | #|^[\"'&*!|>%@`\[{]", fields[name])


def test_the_body_is_about_three_thousand_tokens() -> None:
    _, body = front_matter(SKILL)
    assert 5_000 < len(body) < 12_000


def test_every_reference_says_when_to_read_it() -> None:
    assert REFERENCES
    for page in REFERENCES:
        title, when = page.read_text(encoding="utf-8").split("\n\n")[:2]
        assert title.startswith("# ")
        assert when.startswith("Read this when ")


@by_name
def test_what_a_page_names_exists(page: Path) -> None:
    for path in paths(page):
        assert (ROOT / path).exists() or (page.parent / path).exists(), path


@by_name
def test_kinds_in_code_are_kinds(page: Path) -> None:
    kinds = {p.stem for p in (ROOT / "references" / "kinds").glob("*.md")}
    for name in re.findall(r"`([a-z]+(?:-[a-z]+)+)(?: \[[a-z]+\])?`", prose(page)):
        assert name in kinds or name in {"warp-debug-gradients", "on-demand"}, name


@by_name
def test_commands_are_understood(page: Path) -> None:
    templates = {path.name.partition(".")[0] for path in (ROOT / "templates").glob("[a-z]*.j2")} | {"NAME"}
    for command in commands(page):
        first, *rest = [word for word in shlex.split(command) if word != "..."]
        if first in SUBPARSERS:
            parsed = SUBPARSERS[first]().parse_args(rest)
            assert first != "render" or parsed.name in {None, *templates}, command
        elif first not in SUBCOMMANDS:
            own, _ = split([first, *rest])
            overrides(parser().parse_args(own).settings)


def test_the_skill_begins_with_the_diagnosis() -> None:
    assert commands(SKILL)[0] == "SCRIPT -- SCRIPT_ARGUMENTS"


@by_name
def test_options_in_the_text_exist(page: Path) -> None:
    known = {
        option for made in (parser(), *(p() for p in SUBPARSERS.values())) for option in made._option_string_actions
    }
    for text in options(page):
        words = shlex.split(text)
        assert words[0].partition("=")[0] in known, text
        if len(words) > 1:
            parser().parse_args(["script.py", *words])


@by_name
def test_blocks_are_of_a_sort_that_is_tested(page: Path) -> None:
    for block in blocks(page):
        assert block.language in {"python", "diff", "text"}, block.language
        if block.language == "python":
            assert block.words in {(), ("bad",), ("raises",)}
        if block.words == ("bad",):
            assert "assert not " in block.code, "a bad example says what is wrong with it"
