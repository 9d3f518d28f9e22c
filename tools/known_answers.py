"""Judge every program of a folder with known answers and compare the verdicts.

    python tools/known_answers.py FOLDER [--python INTERPRETER]

FOLDER holds `expected.json`: {"cases": [{"script": "a.py", "verdict": "wrong", ...}, ...]}. Exit code 1 when a
verdict differs, 0 when all agree.
"""

import argparse
import json
import sys
from pathlib import Path

from judging import ROOT, Judged, judge


def main() -> int:
    arguments = _arguments()
    folder = arguments.folder.resolve()
    answers = folder / "expected.json"
    if not answers.is_file():
        print(f"{arguments.folder} has no expected.json; name the folder that has (make CASES=FOLDER).")
        return 2
    cases = json.loads(answers.read_text())["cases"]
    options = ["--python", str(arguments.python.absolute())] if arguments.python else []
    agreeing = 0
    for case in cases:
        judged = judge([*options, str(folder / case["script"])], limit_s=arguments.limit, folder=ROOT)
        agrees = judged.verdict == case["verdict"]
        agreeing += agrees
        print(_line(case, judged, agrees), flush=True)
    print(f"{agreeing} of {len(cases)} verdicts as known")
    return 0 if agreeing == len(cases) else 1


def _line(case: "dict[str, str]", judged: Judged, agrees: bool) -> str:
    expectation = "" if agrees else f"  expected {case['verdict']}"
    return f"{case['script']:36s} {judged.verdict:10s} exit {judged.exit_code}  {judged.seconds:6.1f} s{expectation}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare verdicts with known answers.")
    parser.add_argument("folder", type=Path, help="folder with programs and expected.json")
    parser.add_argument("--python", type=Path, help="interpreter the programs run in (default: this one)")
    parser.add_argument("--limit", type=float, default=180.0, help="seconds for each program (default 180)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
