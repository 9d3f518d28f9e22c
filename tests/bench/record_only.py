"""``record_only.py PROGRAM ITERATIONS``: record a program and judge nothing."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from harness.execute.live import LiveSession
from harness.execute.session import Limits, Target
from harness.record.plan import Plan

program, iterations = sys.argv[1], sys.argv[2]
with LiveSession(Target(program, None, (iterations,), os.getcwd()), sys.executable, Limits()) as session:
    recording = session.record(Plan(iterations=int(iterations)))
print(len(recording.events))
