"""Unified diffs between two folders of text: made, shown and applied exactly, without fuzz."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class PatchError(ValueError):
    """A diff that does not fit the files."""


def difference(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """What turns the texts of ``old`` into those of ``new``, as one unified diff."""
    parts = []
    for name in sorted({*old, *new}):
        before, after = old.get(name), new.get(name)
        if before == after:
            continue
        from_name = f"a/{name}" if before is not None else "/dev/null"
        to_name = f"b/{name}" if after is not None else "/dev/null"
        lines = difflib.unified_diff(_lines(before or ""), _lines(after or ""), from_name, to_name, lineterm="")
        parts += [line if line.endswith("\n") else f"{line}\n" for line in lines]
    return "".join(parts)


def apply(patch: str, files: Mapping[str, str]) -> dict[str, str]:
    """The patched texts.

    Raises:
        PatchError: a hunk does not match the file.
    """
    result = dict(files)
    for old_name, new_name, hunks in _file_patches(patch):
        if old_name is not None and old_name not in files:
            raise PatchError(f"the patch changes `{old_name}`, which does not exist")
        text = _apply_hunks(_lines(files[old_name]) if old_name else [], hunks, old_name or str(new_name))
        if old_name is not None and old_name != new_name:
            del result[old_name]
        if new_name is not None:
            result[new_name] = text
    return result


@dataclass(frozen=True)
class Block:
    """One change between two texts: lines that are replaced by others."""

    file: str
    start: int
    """Index of the first old line."""
    old: tuple[str, ...]
    new: tuple[str, ...]


def blocks(old: Mapping[str, str], new: Mapping[str, str]) -> list[Block]:
    """All changes, in the order of files and lines. New files are one block each."""
    found = []
    for name in sorted({*old, *new}):
        before, after = _lines(old.get(name, "")), _lines(new.get(name, ""))
        for tag, i, j, k, m in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if tag != "equal":
                found.append(Block(name, i, tuple(before[i:j]), tuple(after[k:m])))
    return found


def apply_blocks(chosen: Sequence[Block], files: Mapping[str, str]) -> dict[str, str]:
    """The texts with some of their changes."""
    result = {name: _lines(text) for name, text in files.items()}
    for block in sorted(chosen, key=lambda b: -b.start):
        lines = result.setdefault(block.file, [])
        lines[block.start : block.start + len(block.old)] = block.new
    return {name: "".join(lines) for name, lines in result.items()}


def touched(patch: str) -> set[str]:
    """Names of the files that a patch changes, makes or removes."""
    return {name for old, new, _ in _file_patches(patch) for name in (old, new) if name is not None}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _file_patches(patch: str) -> Iterator[tuple[str | None, str | None, list[list[str]]]]:
    lines = _lines(patch)
    index = 0
    while index < len(lines):
        if not lines[index].startswith("--- "):
            index += 1
            continue
        old_name, new_name = _name(lines[index][4:]), _name(lines[index + 1][4:])
        index += 2
        hunks: list[list[str]] = []
        while index < len(lines) and _HUNK.match(lines[index]):
            length = _hunk_length(lines, index)
            hunks.append(lines[index : index + length])
            index += length
        yield old_name, new_name, hunks


def _hunk_length(lines: list[str], start: int) -> int:
    match = _HUNK.match(lines[start])
    assert match is not None
    old_left, new_left = (int(match[i]) if match[i] is not None else 1 for i in (2, 4))
    index = start + 1
    while old_left > 0 or new_left > 0:
        if index >= len(lines):
            raise PatchError("the patch ends in the middle of a hunk")
        old_left -= lines[index][:1] in (" ", "-", "\n")
        new_left -= lines[index][:1] in (" ", "+", "\n")
        index += 1
    return index - start


def _name(text: str) -> str | None:
    name = text.split("\t")[0].strip()
    if name == "/dev/null":
        return None
    return name[2:] if name.startswith(("a/", "b/")) else name


def _apply_hunks(lines: list[str], hunks: list[list[str]], name: str) -> str:
    result: list[str] = []
    position = 0
    for hunk in hunks:
        match = _HUNK.match(hunk[0])
        assert match is not None
        start = int(match[1]) - (match[2] != "0")
        result += lines[position:start]
        position = start
        for line in hunk[1:]:
            text = line[1:] if line != "\n" else "\n"
            if line[0] in " -\n":
                if position >= len(lines) or lines[position] != text:
                    raise PatchError(f"the patch does not fit `{name}` at line {position + 1}")
                position += 1
            if line[0] in " +\n":
                result.append(text)
    return "".join(result + lines[position:])
