"""The Inspect task, offline: a scripted model mends the program through the shell, another one does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_case import PROGRAM, MakeCase

inspect_ai = pytest.importorskip("inspect_ai")


def outputs(command: str) -> list[Any]:
    from inspect_ai.model import ModelOutput, ModelUsage

    made = [
        ModelOutput.for_tool_call("mockllm/model", "bash", {"command": command}),
        ModelOutput.for_tool_call("mockllm/model", "submit", {"answer": "done"}),
    ]
    for output in made:
        # Without it the mock counts tokens with a table that it downloads.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return made


def evaluate(command: str, corpus: Path, logs: Path) -> Any:
    from inspect_ai.model import get_model

    from evals.inspect_adapter import warp_gradients

    model = get_model("mockllm/model", custom_outputs=outputs(command))
    (log,) = inspect_ai.eval(warp_gradients(corpus=str(corpus)), model=model, log_dir=str(logs), display="none")
    assert log.status == "success", log.error
    assert log.samples is not None
    return log.samples[0].scores["measured_again"]


def test_a_model_that_mends_the_program_scores_one_and_one_that_does_not_scores_nothing(
    make_case: MakeCase, tmp_path: Path
) -> None:
    stored = make_case()
    finding = {"kind": "gradient-accumulation", "location": {"file": "program.py", "line": 20}}
    report = json.dumps({"verdict": "wrong", "findings": [finding]})
    command = f"cat > program.py <<'END'\n{PROGRAM}END\ncat > findings.json <<'END'\n{report}\nEND"
    mended = evaluate(command, stored.folder.parent, tmp_path / "logs")
    assert mended.value == 1.0, mended.explanation
    idle = evaluate("ls", stored.folder.parent, tmp_path / "logs")
    assert idle.value == 0.0
    assert "error" in idle.explanation
