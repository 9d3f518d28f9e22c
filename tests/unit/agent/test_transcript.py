"""Events on disk, without secrets, and their pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.agent.events import Reply, RunEnded, RunStarted, ToolCalled, ToolReturned
from harness.agent.scrub import HIDDEN, Scrubber
from harness.agent.transcript import Transcript, read
from harness.agent.transcript_pages import render
from harness.options import UsageError

ENVIRONMENT = {"ANTHROPIC_API_KEY": "very-secret-value", "GITHUB_TOKEN": "another-secret", "EDITOR": "nano-editor"}


def _reply(text: str) -> Reply:
    return Reply(
        number=1, text=text, tool_calls=1, stop_reason="tool_use", input_tokens=1000, output_tokens=10,
        cache_write_tokens=0, cache_read_tokens=500, cost=0.01, seconds=2.0,
    )  # fmt: skip


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A transcript with what programs and models may put into it."""
    path = tmp_path / "transcript.jsonl"
    transcript = Transcript(path, Scrubber(ENVIRONMENT, home="/home/ann"))
    transcript.add(
        RunStarted(
            tool_version="0", sdk_version="0", when="now", model="m", settings={}, program=["python", "train.py"],
            complaint="it diverges", skill="none", confinement="namespaces",
        )
    )  # fmt: skip
    transcript.add(_reply("key very-secret-value in /home/ann/x and /home/annette, <script>alert(1)</script>"))
    transcript.add(ToolCalled(name="read_file", input={"path": "another-secret", "very-secret-value": 1}))
    transcript.add(
        ToolReturned(name="read_file", is_error=False, text="\x1b[31mred\x07\n```\n# heading" + "x" * 20_000, seconds=1)
    )
    transcript.add(RunEnded(exit_code=1, outcome={"summary": "done", "patch": "--- a\n+++ b\n"}))
    transcript.close()
    return path


def test_no_secret_and_no_home_folder_is_written(written: Path) -> None:
    text = written.read_text()
    assert "secret-value" not in text
    assert "another-secret" not in text
    assert "/home/ann/" not in text
    assert "/home/annette" in text, "another folder that only begins alike"
    assert HIDDEN in text
    assert written.stat().st_mode & 0o077 == 0


def test_keys_are_known_by_their_look() -> None:
    assert "abcdef" not in Scrubber({}, home="/h").text("sk-ant-api03-abcdefghijk")


def test_an_event_is_on_disk_at_once(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "t", Scrubber({}, home="/h"))
    transcript.add(_reply("x"))
    assert len(read(tmp_path / "t")) == 1


def test_a_line_that_was_cut_off_at_the_end_is_left_out(written: Path) -> None:
    whole = read(written)
    written.write_text(written.read_text() + '{"type": "rep')
    assert read(written) == whole


@pytest.mark.parametrize("text", ["", "no json\n", '{"type": "unknown"}\n{}\n'])
def test_something_else_is_no_transcript(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_text(text)
    with pytest.raises(UsageError, match="no transcript"):
        read(tmp_path / "x")


def test_nothing_acts_on_the_readers_terminal(written: Path) -> None:
    text = render(read(written), "text")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text)
    assert "$0.0100" in text
    assert "exit code          1" in text


def test_html_is_escaped_and_needs_nothing_from_elsewhere(written: Path) -> None:
    page = render(read(written), "html")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "default-src 'none'" in page
    assert not re.search(r"(src|href)=", page)


def test_markdown_keeps_what_was_quoted_inside_its_fence(written: Path) -> None:
    page = render(read(written), "markdown")
    assert "````\n" in page
    assert "\\<script\\>" in page
    assert "| cost | $0.0100 |" in page
