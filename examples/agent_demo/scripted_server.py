"""A loopback server that speaks the Messages protocol and answers from a script, plain or streaming.

A script is a list of replies, given in order, one for each request. A reply is one of

    {"text": "...", "thinking": "...", "tools": [{"name": "...", "input": {...}}], "stop_reason": "...", "usage": {...}}
    {"status": 529, "error": "overloaded_error", "message": "...", "headers": {"retry-after": "0"}}
    {"hang": 3.0}                        no answer for so many seconds, then the connection is closed
    {"drip": 3.0}                        a byte now and then for so many seconds, and never a reply

`"cut": true` in a reply of the first form breaks a stream off in the middle; `"raw": "..."` in place of a tool's
`input` sends that text, which need not be JSON (streaming only). After the last reply every request gets a 400.
Requests are checked as the service would check them; what is wrong with them is in `problems`.
"""

from __future__ import annotations

import http.server
import json
import socketserver
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any


class ScriptedServer:
    """``with ScriptedServer(replies) as server:`` answers at `server.url` until the block ends."""

    def __init__(self, replies: Sequence[dict[str, Any]]) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []
        """Bodies, in order."""
        self.problems: list[str] = []
        self.lock = threading.Lock()
        self._stopping = threading.Event()

    def __enter__(self) -> ScriptedServer:
        class Handler(_Handler):
            script = self

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """For `base_url`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def wait(self, seconds: float) -> None:
        """Let time pass, but not longer than the server lives."""
        self._stopping.wait(seconds)

    def next(self, body: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request."""
        with self.lock:
            self.requests.append(body)
            number = len(self.requests) - 1
            was_paused = 0 < number <= len(self.replies) and self.replies[number - 1].get("stop_reason") == "pause_turn"
            problem = what_is_wrong(body, was_paused)
            if problem:
                self.problems.append(problem)
                return {"status": 400, "error": "invalid_request_error", "message": problem}
            if number >= len(self.replies):
                return {"status": 400, "error": "invalid_request_error", "message": "the script is over"}
            return self.replies[number]


def what_is_wrong(body: dict[str, Any], is_resumed: bool = False) -> str:
    """What the service would refuse about a request; empty if nothing. `is_resumed`: it continues a paused reply."""
    for name in ("model", "max_tokens", "messages"):
        if name not in body:
            return f"{name}: field required"
    names = [tool["name"] for tool in body.get("tools", [])]
    if len(set(names)) != len(names):
        return "tools: names must be unique"
    open_calls: set[str] = set()
    expected = "user"
    for number, message in enumerate(body["messages"]):
        if message["role"] != expected:
            return f"messages.{number}: expected role {expected}"
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not blocks or any(block["type"] == "text" and not block["text"] for block in blocks):
            return f"messages.{number}: content must be non-empty"
        results = {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
        if results != open_calls:
            return f"messages.{number}: tool_use ids and tool_result ids do not match"
        open_calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
        expected = "assistant" if expected == "user" else "user"
    if expected == "user" and not is_resumed:
        return "messages: the last message must be from the user"
    return ""


class _Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away in the middle are part of the play."""


class _Handler(http.server.BaseHTTPRequestHandler):
    script: ScriptedServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.startswith("/v1/messages") or not (
            self.headers.get("x-api-key") or self.headers.get("authorization")
        ):
            self._send_error({"status": 401, "error": "authentication_error", "message": "no key"})
            return
        reply = self.script.next(body)
        if "hang" in reply:
            self.script.wait(reply["hang"])
            self.close_connection = True
        elif "drip" in reply:
            self._drip(reply["drip"])
        elif "status" in reply:
            self._send_error(reply)
        else:
            message = message_of(reply, len(self.script.requests), body)
            if body.get("stream"):
                self._send_stream(message, reply)
            else:
                self._send(200, message, {})

    def _send(self, status: int, data: dict[str, Any], headers: dict[str, str]) -> None:
        payload = json.dumps(data).encode()
        self.send_response(status)
        for name, value in {**headers, "content-type": "application/json", "content-length": str(len(payload))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(payload)

    def _send_error(self, reply: dict[str, Any]) -> None:
        error = {"type": reply["error"], "message": reply.get("message", reply["error"])}
        self._send(reply["status"], {"type": "error", "error": error}, reply.get("headers", {}))

    def _drip(self, seconds: float) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.close_connection = True
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.wfile.write(b": still here\n\n")
            self.wfile.flush()
            self.script.wait(0.1)

    def _send_stream(self, message: dict[str, Any], reply: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.close_connection = True
        events = list(stream_events(message, reply))
        if reply.get("cut"):
            events = events[: len(events) // 2]
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()


def message_of(reply: dict[str, Any], number: int, body: dict[str, Any]) -> dict[str, Any]:
    """A reply as a message of the service."""
    content: list[dict[str, Any]] = []
    if reply.get("thinking"):
        content.append({"type": "thinking", "thinking": reply["thinking"], "signature": "c2lnbmVk"})
    if reply.get("text"):
        content.append({"type": "text", "text": reply["text"]})
    for place, call in enumerate(reply.get("tools", [])):
        used = {"type": "tool_use", "id": f"toolu_{number:03d}_{place}", "name": call["name"]}
        content.append({**used, "input": call.get("input", {})})
    stop = "tool_use" if reply.get("tools") else "end_turn"
    message = {
        "id": f"msg_{number:03d}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": reply.get("stop_reason", stop),
        "stop_sequence": None,
        "usage": reply.get("usage", _usage(body, content)),
    }
    if "stop_details" in reply:
        message["stop_details"] = reply["stop_details"]
    return message


def _usage(body: dict[str, Any], content: list[dict[str, Any]]) -> dict[str, int]:
    """About what it would be: four characters a token; all but the last message comes from the cache."""
    messages = body["messages"]
    stable = len(json.dumps([body.get("system"), body.get("tools")])) // 4
    past = sum(len(json.dumps(message)) for message in messages[:-2]) // 4
    latest = sum(len(json.dumps(message)) for message in messages[-2:]) // 4
    is_first = len(messages) == 1
    return {
        "input_tokens": 4,
        "cache_creation_input_tokens": latest + (stable if is_first else 0),
        "cache_read_input_tokens": 0 if is_first else stable + past,
        "output_tokens": len(json.dumps(content)) // 4,
    }


def stream_events(message: dict[str, Any], reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The events that make up a message."""
    usage = message["usage"]
    opened = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield {"type": "message_start", "message": opened}
    raw = {f"{call['name']}": call["raw"] for call in reply.get("tools", []) if "raw" in call}
    for index, block in enumerate(message["content"]):
        start, deltas = _parts(block, raw)
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    if "stop_details" in message:
        ended["stop_details"] = message["stop_details"]
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": usage["output_tokens"]}}
    yield {"type": "message_stop"}


def _parts(block: dict[str, Any], raw: dict[str, str]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "text":
        return {"type": "text", "text": ""}, [{"type": "text_delta", "text": part} for part in _halves(block["text"])]
    if block["type"] == "thinking":
        signed = {"type": "signature_delta", "signature": block["signature"]}
        thought = [{"type": "thinking_delta", "thinking": part} for part in _halves(block["thinking"])]
        return {"type": "thinking", "thinking": "", "signature": ""}, [*thought, signed]
    text = raw.get(block["name"], json.dumps(block["input"]))
    parts = [{"type": "input_json_delta", "partial_json": part} for part in _halves(text)]
    return {**block, "input": {}}, parts


def _halves(text: str) -> list[str]:
    middle = (len(text) + 1) // 2
    return [part for part in (text[:middle], text[middle:]) if part]
