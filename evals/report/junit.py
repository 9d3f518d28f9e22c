"""JUnit XML: one test case per trial, for systems that show test results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from evals.report.summary import Summary, group_name
from evals.report.words import shortfall
from evals.result import TrialResult

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(summary: Summary, results: Sequence[TrialResult]) -> str:
    """A suite for each agent with its arm. Not solved is a failure, not scored an error, not possible here a skip."""
    root = ElementTree.Element("testsuites", name="evals")
    for group in summary.groups:
        own = [r for r in results if group_name(r) == group.name]
        suite = ElementTree.SubElement(
            root, "testsuite", name=group.name, tests=str(len(own)), errors=str(group.unscored),
            failures=str(sum(r.status == "scored" and not r.solved for r in own)), skipped=str(group.skipped),
            time=f"{sum(r.usage.seconds + r.scoring_seconds for r in own):.3f}",
        )  # fmt: skip
        for r in own:
            name = f"{r.case}[{r.trial}]"
            case = ElementTree.SubElement(
                suite, "testcase", classname=group.name, name=name, time=f"{r.usage.seconds + r.scoring_seconds:.3f}"
            )
            if r.status == "skipped":
                ElementTree.SubElement(case, "skipped", message=_clean(r.reason))
            elif r.status == "unscored":
                ElementTree.SubElement(case, "error", message=_clean(r.reason))
            elif not r.solved:
                ElementTree.SubElement(case, "failure", message=_clean(shortfall(r))[:1000])
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("?", text)
