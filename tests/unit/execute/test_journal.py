"""The session file: questions and answers come back as they went in."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.execute.journal import JournalReader, JournalWriter
from harness.execute.session import EvaluationResult, ExecutionFailed
from harness.options import UsageError
from harness.record.events import FORMAT_VERSION, Event, Recording, Touch
from harness.record.plan import Contribution, Objective


def never() -> Any:
    raise AssertionError("a repeated session asks nobody")


def through_file(tmp_path: Path, *pairs: tuple[dict[str, Any], Any]) -> JournalReader:
    writer = JournalWriter(str(tmp_path / "a.session"), {"note": 1})
    for question, answer in pairs:
        assert writer.answer(question, lambda answer=answer: answer) is answer
    writer.finish()
    return JournalReader(str(tmp_path / "a.session"), tmp_path / "unpacked")


@pytest.mark.parametrize(
    "answer",
    [
        None,
        1.5,
        {"type": "paused", "event": 3},
        np.array([[1.0, np.nan]], dtype=np.float32),
        np.float64(2.0) * np.eye(2),
    ],
)
def test_answers_come_back(answer: Any, tmp_path: Path) -> None:
    again = through_file(tmp_path, ({"ask": "a"}, answer)).answer({"ask": "a"}, never)
    if isinstance(answer, np.ndarray):
        assert again.dtype == answer.dtype
        np.testing.assert_array_equal(again, answer)
    else:
        assert again == answer


def test_evaluations_keep_every_bit(tmp_path: Path) -> None:
    results = [EvaluationResult("ok", (0.1 + 0.2, -1e-310), "abc"), EvaluationResult("nan", (float("inf"),))]
    assert through_file(tmp_path, ({"ask": "a"}, results)).answer({"ask": "a"}, never) == results


def test_a_recording_comes_back_with_the_sources_it_shows(tmp_path: Path) -> None:
    import linecache

    program = tmp_path / "program.py"
    program.write_text("x = 1\ny = 2\n")
    event = Event(0, "launch", "k", 0, 0, [Touch("#1", "x", True, False)])
    recording = Recording(FORMAT_VERSION, {}, [[[str(program), 2, "<module>"]]], [event], {}, {}, {"g": np.arange(3.0)})
    reader = through_file(tmp_path, ({"ask": "a"}, recording))
    program.unlink()
    again = reader.answer({"ask": "a"}, never)
    assert again.events == recording.events
    np.testing.assert_array_equal(again.arrays["g"], recording.arrays["g"])
    assert linecache.getline(str(program), 2) == "y = 2\n"


def test_a_question_asked_twice_has_two_answers(tmp_path: Path) -> None:
    reader = through_file(tmp_path, ({"ask": "clock"}, 1.0), ({"ask": "other"}, 5.0), ({"ask": "clock"}, 2.0))
    assert [reader.answer({"ask": "clock"}, never) for _ in range(2)] == [1.0, 2.0]
    with pytest.raises(UsageError, match=r"no answer for a step of this diagnosis \(clock\)"):
        reader.answer({"ask": "clock"}, never)


@pytest.mark.parametrize(
    "other",
    [
        np.array([1.0, 2.0], dtype=np.float64),
        np.array([1.0, 2.5], dtype=np.float32),
        np.array([[1.0, 2.0]], dtype=np.float32),
        Objective([Contribution(0, "#1")], 1),
    ],
)
def test_other_contents_are_another_question(other: Any, tmp_path: Path) -> None:
    asked = np.array([1.0, 2.0], dtype=np.float32)
    reader = through_file(tmp_path, ({"ask": "a", "point": asked}, 1.0))
    with pytest.raises(UsageError):
        reader.answer({"ask": "a", "point": other}, never)
    assert reader.answer({"point": asked.copy(), "ask": "a"}, never) == 1.0


def test_a_failure_is_repeated(tmp_path: Path) -> None:
    def fail() -> Any:
        raise ExecutionFailed("crashed", "It crashed.", "detail")

    writer = JournalWriter(str(tmp_path / "a.session"), {})
    with pytest.raises(ExecutionFailed):
        writer.answer({"ask": "a"}, fail)
    writer.finish()
    with pytest.raises(ExecutionFailed, match=r"It crashed\.") as caught:
        JournalReader(str(tmp_path / "a.session"), tmp_path / "unpacked").answer({"ask": "a"}, never)
    assert (caught.value.reason, caught.value.detail) == ("crashed", "detail")


def test_an_abandoned_session_leaves_no_file_and_the_old_one_alone(tmp_path: Path) -> None:
    (tmp_path / "a.session").write_text("old")
    JournalWriter(str(tmp_path / "a.session"), {}).abandon()
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a.session", "old")]


def a_zip(path: Path, name: str, text: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, text)


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with pytest.raises(UsageError, match="There is no file"):
        JournalReader(str(file), tmp_path)
    file.write_text("text")
    with pytest.raises(UsageError, match="is not a session file"):
        JournalReader(str(file), tmp_path)
    for name, text in (("other.json", "{}"), ("journal.json", "not JSON"), ("journal.json", '{"format": "x"}')):
        a_zip(file, name, text)
        with pytest.raises(UsageError, match="is not a session file"):
            JournalReader(str(file), tmp_path)
    a_zip(
        file, "journal.json", json.dumps({"format": "warp-debug-gradients session", "format_version": 2, "tool": "9"})
    )
    with pytest.raises(UsageError, match=r"format 2 \(written by version 9\), this version reads format 1"):
        JournalReader(str(file), tmp_path)
