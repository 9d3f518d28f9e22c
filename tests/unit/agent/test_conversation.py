"""The loop against the protocol: what ends it, what it survives, what it keeps."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from talking import HASTY, KEY, Talk, call, failed, look, submit

from harness.agent import history


@pytest.mark.parametrize("is_streaming", [True, False])
def test_tools_run_and_their_results_go_back_until_the_findings_are_submitted(
    tmp_path: Path, is_streaming: bool
) -> None:
    talk = Talk(tmp_path, is_streaming=is_streaming)
    ending = talk.run([{"thinking": "hm", **look()}, submit()])
    assert ending.reason == "submitted"
    assert talk.bench.submission is not None
    assert talk.bench.submission.verdict == "blocked"
    assert "train.py" in talk.requests[1]["messages"][2]["content"][0]["content"]
    assert talk.requests[1]["messages"][1]["content"][0] == {
        "type": "thinking", "thinking": "hm", "signature": "c2lnbmVk",
    }  # fmt: skip
    assert [bool(request.get("stream")) for request in talk.requests] == [is_streaming] * 2
    assert all("thread" not in request for request in talk.requests)


def test_the_stable_part_of_a_request_is_marked_for_the_cache(talk: Talk) -> None:
    talk.run([look(), submit()])
    first, second = talk.requests
    assert first["cache_control"] == {"type": "ephemeral"}
    assert (first["system"], first["tools"]) == (second["system"], second["tools"])
    assert second["messages"][: len(first["messages"])] == first["messages"]


@pytest.mark.parametrize(
    "failure",
    [
        failed(429, "rate_limit_error", "slow down", **{"retry-after": "3600"}),
        failed(529, "overloaded_error"),
        failed(500, "api_error"),
        failed(503, "api_error"),
        failed(408, "timeout_error"),
        {**look(), "cut": True},
        {"text": "x", "tools": [{"name": "list_files", "raw": '{"pattern": "a" "b"}'}]},
    ],
    ids=["rate limit", "overload", "500", "503", "408", "cut stream", "broken tool input"],
)
def test_a_passing_failure_is_tried_again_after_a_bounded_wait(talk: Talk, failure: dict[str, Any]) -> None:
    started = time.monotonic()
    assert talk.run([look(), failure, failure, submit()]).reason == "submitted"
    assert time.monotonic() - started < 5
    assert [event.attempt for event in talk.of_type("retried")] == [1, 2]
    assert talk.requests[1]["messages"] == talk.requests[3]["messages"]


@pytest.mark.parametrize("is_streaming", [True, False])
def test_a_service_that_does_not_answer_is_left_after_the_time_for_a_request(
    tmp_path: Path, is_streaming: bool
) -> None:
    talk = Talk(tmp_path, is_streaming=is_streaming).with_settings(request_seconds=0.5, retries=1)
    ending = talk.run([{"hang": 20}, {"hang": 20}])
    assert ending.reason == "service"
    assert "2 times in a row" in ending.detail


def test_a_service_that_only_drips_is_left_as_well(talk: Talk) -> None:
    talk.with_settings(request_seconds=0.6, retries=0)
    started = time.monotonic()
    assert talk.run([{"drip": 30}]).reason == "service"
    assert time.monotonic() - started < 10


def test_a_service_that_stays_away_ends_the_run_with_the_state_kept(talk: Talk) -> None:
    talk.with_settings(retries=2)
    ending = talk.run([look(), *[failed(529, "overloaded_error")] * 3])
    assert (ending.reason, ending.detail) == ("service", "529: overloaded_error, 3 times in a row")
    resumed = history.repaired(talk.saved[-1])
    assert _another(talk, resumed).run([submit()]).reason == "submitted"


def _another(talk: Talk, messages: list[dict[str, Any]]) -> Talk:
    again = talk.folder / "again"
    again.mkdir()
    return Talk(again, messages=messages, settings=HASTY)


@pytest.mark.parametrize(
    "failure",
    [
        failed(401, "authentication_error", "invalid x-api-key"),
        failed(403, "permission_error"),
        failed(404, "not_found_error", "model: no-such-model"),
        failed(400, "invalid_request_error", "max_tokens: too large"),
        failed(529, "overloaded_error", **{"x-should-retry": "false"}),
    ],
    ids=["key", "permission", "model", "request", "told not to"],
)
def test_a_failure_that_will_not_pass_is_not_tried_again(talk: Talk, failure: dict[str, Any]) -> None:
    ending = talk.run([failure, submit()])
    assert ending.reason == "service"
    assert failure["message"] in ending.detail
    assert len(talk.requests) == 1


def test_a_refusal_ends_the_run_with_its_reason(talk: Talk) -> None:
    ending = talk.run([look(), {"text": "I will not.", "stop_reason": "refusal"}])
    assert ending.reason == "refused"


def test_a_conversation_that_is_too_long_goes_on_without_old_results(talk: Talk) -> None:
    talk.bench.workspace.root.joinpath("long.txt").write_text("word\n" * 3000)
    too_long = failed(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")
    read = {"tools": [call("read_file", path="long.txt", lines=2000)]}
    assert talk.run([read, look(), look(), too_long, submit()]).reason == "submitted"
    assert talk.of_type("trimmed")[0].characters > 5000
    assert len(str(talk.requests[4]["messages"])) < len(str(talk.requests[3]["messages"])) - 5000


def test_a_conversation_that_stays_too_long_ends(talk: Talk) -> None:
    too_long = failed(413, "request_too_large", "request exceeds the maximum size")
    assert talk.run([too_long, too_long]).reason == "context"
    assert len(talk.requests) == 1


def test_a_full_context_is_handled_like_one_that_is_too_long(talk: Talk) -> None:
    full = {"text": "and", "stop_reason": "model_context_window_exceeded"}
    assert talk.run([full]).reason == "context"


def test_a_reply_that_was_cut_off_is_continued_without_its_half_call(talk: Talk) -> None:
    cut = {"text": "I", "tools": [call("list_files")], "stop_reason": "max_tokens"}
    assert talk.run([cut, submit()]).reason == "submitted"
    assert talk.requests[1]["messages"][1]["content"] == [{"type": "text", "text": "I"}]
    assert not talk.of_type("tool_called")[:-1]


def test_a_paused_turn_is_resumed(talk: Talk) -> None:
    pause = {"text": "one moment", "stop_reason": "pause_turn"}
    assert talk.run([pause, submit()]).reason == "submitted"
    assert talk.requests[1]["messages"][-1]["role"] == "assistant"


def test_a_model_that_only_talks_is_reminded_and_then_left(talk: Talk) -> None:
    ending = talk.run([{"text": "All is well."}] * 5)
    assert ending.reason == "silent"
    assert len(talk.requests) == 3
    assert "submit_findings" in talk.of_type("told")[0].text


def test_a_reply_without_content_is_survived(talk: Talk) -> None:
    assert talk.run([{}, submit()]).reason == "submitted"


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"max_replies": 2}, "2 replies"),
        ({"max_tokens": 3000}, "--max-tokens"),
        ({"max_cost": 0.01}, "--max-cost"),
    ],
)
def test_a_limit_ends_the_run_with_what_there_is(talk: Talk, limits: dict[str, Any], words: str) -> None:
    talk.with_settings(**limits)
    spending = {**look(), "usage": {"input_tokens": 1500, "output_tokens": 100}}
    ending = talk.run([spending] * 9)
    assert ending.reason == "limit"
    assert words in ending.detail
    assert len(talk.requests) == 2
    assert len(talk.of_type("tool_called")) == 1, "no tool runs once the limit is reached"


def test_findings_in_the_last_reply_allowed_are_taken(talk: Talk) -> None:
    assert talk.with_settings(max_replies=2).run([look(), submit()]).reason == "submitted"


def test_the_time_limit_ends_a_waiting_run(talk: Talk) -> None:
    talk.with_settings(max_seconds=1.0, max_wait=30.0, retries=99)
    started = time.monotonic()
    ending = talk.run([failed(429, "rate_limit_error", **{"retry-after": "30"})] * 3)
    assert ending.reason == "limit"
    assert time.monotonic() - started < 6


def test_a_model_with_little_left_is_told_so(talk: Talk) -> None:
    talk.with_settings(max_replies=4).run([look(), look(), submit()])
    assert "3 more replies" in talk.requests[1]["messages"][-1]["content"][0]["content"]


def test_missing_cache_counts_are_no_problem(talk: Talk) -> None:
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": None}
    assert talk.run([{**submit(), "usage": usage}]).reason == "submitted"
    assert talk.meter.spent.tokens == 15


def test_ctrl_c_in_a_tool_keeps_a_state_that_can_be_continued(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(type(talk.bench.workspace), "files", interrupt)
    assert talk.run([look()]).reason == "interrupted"
    monkeypatch.undo()
    resumed = history.repaired(talk.saved[-1])
    again = _another(talk, resumed)
    assert again.run([submit()]).reason == "submitted"
    assert "interrupted" in again.requests[0]["messages"][-1]["content"][0]["content"]


def test_an_unknown_tool_and_unfit_input_are_answered_not_fatal(talk: Talk) -> None:
    wrong = {"tools": [call("shell", command="ls"), call("read_file", pth="train.py"), call("read_file", path=3)]}
    assert talk.run([wrong, submit()]).reason == "submitted"
    results = talk.requests[1]["messages"][-1]["content"]
    assert all(result["is_error"] for result in results)
    assert "pth" in results[1]["content"]


def test_the_key_is_in_no_event_and_no_saved_message(talk: Talk) -> None:
    talk.bench.workspace.root.joinpath("note.txt").write_text(f"key {KEY} of /home/somebody/x")
    talk.run([{"text": f"I read {KEY}", "tools": [call("read_file", path="note.txt")]}, submit()])
    written = (talk.folder / "transcript.jsonl").read_text()
    assert KEY not in written
    assert "/home/somebody" not in written
    assert "~/x" in written
    assert KEY not in str(talk.requests[1]["messages"][-1])


def test_a_bug_of_ours_is_not_taken_for_the_services(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise TypeError("ours")

    monkeypatch.setattr(history, "calls", broken)
    with pytest.raises(TypeError, match="ours"):
        talk.run([look()])


def test_half_a_character_in_a_call_is_survived(talk: Talk) -> None:
    odd = {"tools": [call("write_file", path="x.txt", text="\ud800")]}
    assert talk.run([odd, submit(), submit()]).reason == "submitted"
