"""``python -m harness.run agent SCRIPT``: a model works on a copy of the program; what it claims is measured again."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from harness.command.arguments import overrides, split
from harness.command.packages import check_packages
from harness.options import UsageError

if TYPE_CHECKING:
    from harness.agent.events import AnyEvent
    from harness.agent.outcome import Outcome
    from harness.agent.run_folder import RunFolder, State
    from harness.agent.settings import Settings

EPILOG = """\
examples:
  export ANTHROPIC_API_KEY=...                          the key is read from the environment only
  python -m harness.run agent train.py --complaint "the loss creeps back up after 30 steps"
  python -m harness.run agent train.py --set N=32 -- --epochs 5
  python -m harness.run agent -m mypackage.train --model claude-sonnet-5-5 --max-cost 2
  python -m harness.run agent --resume RUN_FOLDER       go on after a limit, Ctrl-C or an outage
  python -m harness.run agent --resume RUN_FOLDER --apply   write the verified patch to your files

settings: by flag, else WARP_GRADIENT_AGENT_MODEL, _EFFORT, _MAX_COST and so on in the environment, else `model`,
`effort`, `max-cost` and so on in [tool.warp-debug-gradients.agent] of pyproject.toml.

The model works in a copy of the project, which is the folder you start in, or the script's own if that lies elsewhere.
Scripts it runs can change nothing outside the copy and get no key and no proxy settings; in namespaces, which they run
in where the system permits it, they have no network either, unless --network is given.
Without a key the plain diagnosis is run instead, with its exit code; --require-agent makes that an error.

exit codes:
  0 gradients are correct, claimed and measured      1 wrong, and a verified fix is shown
  2 usage, or a failure of this tool                 3 cannot be decided, or wrong without a verified fix
  4 the program failed, or used no gradient          5 something that the model claimed does not hold
  6 ended before findings were handed in (a limit, Ctrl-C, the service); --resume goes on
"""


def run(arguments: list[str]) -> int:
    """Run the agent, or the plain diagnosis where there is no key.

    Raises:
        UsageError: the request cannot be carried out.
    """
    own, script_arguments = split(arguments)
    parsed = _parser().parse_args(own)
    check_packages()
    from harness.agent.settings import key_of, settings_of

    key = key_of(os.environ)
    if key is None:
        return _without_key(parsed, script_arguments)
    check_packages("anthropic")
    settings = settings_of(parsed, os.environ, Path.cwd())
    if parsed.resume:
        folder, state = _resumed(parsed, script_arguments)
    else:
        folder, state = _new(parsed, script_arguments)
    return _report(parsed, _run(parsed, folder, state, settings, key))


def _run(
    parsed: argparse.Namespace, folder: RunFolder, state: State, settings: Settings, key: tuple[str, str]
) -> Outcome:
    from harness.agent.session import AgentRun, Wishes

    wishes = Wishes(
        key=key,
        base_url=parsed.base_url,
        is_streaming=parsed.stream,
        has_network=parsed.network,
        apply=parsed.apply,
        follow=None if parsed.quiet else _follow,
    )
    return AgentRun(folder, state, settings, wishes, os.environ).run()


def _follow(event: AnyEvent) -> None:
    from harness.agent.follow import line

    print("".join(c if c.isprintable() else "?" for c in line(event)), file=sys.stderr, flush=True)


def _report(parsed: argparse.Namespace, outcome: Outcome) -> int:
    from harness.agent.outcome_text import render

    print(outcome.model_dump_json(indent=2) if parsed.format == "json" else render(outcome), end="")
    if parsed.format == "json":
        print()
    return outcome.exit_code


def _without_key(parsed: argparse.Namespace, script_arguments: list[str]) -> int:
    missing = "There is no key for the agent: set ANTHROPIC_API_KEY in the environment."
    if parsed.require_agent or parsed.resume:
        raise UsageError(missing)
    print(f"{missing} Here is the plain diagnosis, which needs none.", file=sys.stderr)
    from harness.command.main import main

    program = [parsed.script] if parsed.script else ["-m", parsed.module] if parsed.module else []
    settings = [f"--set={setting}" for setting in parsed.settings]
    words = [*program, *settings, "--python", parsed.python, "--format", parsed.format]
    return main([*words, *(["--", *script_arguments] if script_arguments else [])])


def _new(parsed: argparse.Namespace, script_arguments: list[str]) -> tuple[RunFolder, State]:
    from harness.agent import run_folder
    from harness.agent.program import Program
    from harness.agent.prompt import load_skill
    from harness.agent.session import start

    if bool(parsed.script) == bool(parsed.module):
        raise UsageError("Name one program: a script, or -m MODULE. See --help for examples.")
    root, script = _root_and_script(parsed)
    skill = parsed.skill if parsed.skill in (None, "none") else str(Path(parsed.skill).expanduser().resolve())
    load_skill(skill)
    given = overrides(parsed.settings)
    python = parsed.python if os.sep not in parsed.python else os.path.abspath(os.path.expanduser(parsed.python))
    program = Program(script, parsed.module, tuple(script_arguments), given, python, parsed.metric)
    state = run_folder.State(program, str(root), _complaint(parsed), skill)
    folder = run_folder.new(os.environ, Path(script).stem if script else parsed.module, parsed.runs)
    start(folder, state)
    return folder, state


def _root_and_script(parsed: argparse.Namespace) -> tuple[Path, str | None]:
    here = Path.cwd().resolve()
    if parsed.script and not Path(parsed.script).exists():
        raise UsageError(f"There is no file `{parsed.script}`. Paths are relative to {here}.")
    script = Path(parsed.script).resolve() if parsed.script else None
    if parsed.root:
        root = Path(parsed.root).expanduser().resolve()
    else:
        root = here if script is None or script.is_relative_to(here) else script.parent
    if not root.is_dir():
        raise UsageError(f"There is no folder `{parsed.root}`.")
    if script is None:
        return root, None
    if not script.is_relative_to(root):
        raise UsageError(f"`{parsed.script}` is not below `{root}`; name a folder that holds it with --root.")
    return root, script.relative_to(root).as_posix()


def _complaint(parsed: argparse.Namespace) -> str:
    if not parsed.complaint_file:
        return str(parsed.complaint)
    try:
        return Path(parsed.complaint_file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"`{parsed.complaint_file}` cannot be read as text.") from None


def _resumed(parsed: argparse.Namespace, script_arguments: list[str]) -> tuple[RunFolder, State]:
    from harness.agent.run_folder import RunFolder

    if parsed.script or parsed.module or parsed.settings or script_arguments or parsed.root or parsed.skill:
        raise UsageError("--resume goes on with the program and the skill of that run; it takes none itself.")
    folder = RunFolder(Path(parsed.resume).expanduser().resolve())
    return folder, folder.load()


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m harness.run agent",
        description="Let a model find and fix what is wrong with a program's gradients, and measure what it claims.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("script", nargs="?", help="the training script, as it stands")
    made.add_argument("-m", dest="module", metavar="MODULE", help="a module instead, as python -m would")
    asked = made.add_argument_group("the work")
    asked.add_argument("--complaint", default="", metavar="TEXT", help="what is wrong, in your words")
    asked.add_argument("--complaint-file", metavar="FILE", help="the same from a file")
    asked.add_argument("--root", metavar="FOLDER", help="folder to copy and to start the program in")
    asked.add_argument("--python", default=sys.executable, metavar="EXE", help="interpreter of the program (this one)")
    asked.add_argument("--set", action="append", default=[], dest="settings", metavar="NAME=VALUE",
                       help="replace a module-level constant while it is loaded")  # fmt: skip
    asked.add_argument("--metric", metavar="PATTERN", help="a printed line with {} for the number that counts")
    asked.add_argument("--skill", metavar="FOLDER", help="another skill than this project's own, or `none`")
    asked.add_argument("--apply", action="store_true", help="write a verified patch to your files; keeps a backup")
    asked.add_argument("--resume", metavar="RUN_FOLDER", help="go on with an earlier run")
    asked.add_argument("--runs", metavar="FOLDER", help="where the folder of the run goes (your state folder)")
    asked.add_argument("--network", action="store_true", help="let scripts reach the network")
    asked.add_argument("--require-agent", action="store_true", help="without a key, do nothing at all")
    service = made.add_argument_group("the model")
    service.add_argument("--base-url", metavar="URL", help="address of the service (ANTHROPIC_BASE_URL)")
    service.add_argument("--no-stream", action="store_false", dest="stream", help="wait for whole replies")
    from harness.agent.settings import add_arguments

    add_arguments(service)
    out = made.add_argument_group("report")
    out.add_argument("--format", default="text", choices=("text", "json"))
    out.add_argument("--quiet", action="store_true", help="no line for each step")
    out.add_argument("--debug", action="store_true", help="show the traceback of a failure of this tool")
    return made
