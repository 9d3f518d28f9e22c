"""``python -m examples.agent_demo``: a whole run of the agent without a key.

A loopback server plays the model from `decisions.json`; everything else is real: the SDK, the tools, the workspace,
the measurements at the end, and the exit code.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from examples.agent_demo.scripted_server import ScriptedServer
from harness.command.main import main

HERE = Path(__file__).resolve().parent
RUNS = HERE.parents[1] / "reports" / "agent-demo"


def demo(arguments: list[str]) -> int:
    """Run the agent on a copy of the example; its exit code."""
    replies = json.loads((HERE / "decisions.json").read_text(encoding="utf-8"))
    complaint = "The loss goes down for two iterations and then up."
    os.environ["ANTHROPIC_API_KEY"] = "sk-ant-no-key-is-needed-here"
    with tempfile.TemporaryDirectory(prefix="agent-demo-") as folder, ScriptedServer(replies) as server:
        shutil.copy(HERE / "spring_fit.py", folder)
        words = ["agent", str(Path(folder, "spring_fit.py")), "--complaint", complaint]
        return main([*words, "--base-url", server.url, "--runs", str(RUNS), *arguments])


if __name__ == "__main__":
    sys.exit(demo(sys.argv[1:]))
