"""The report as SARIF 2.1.0, for code scanning and editors."""

from __future__ import annotations

import hashlib
import json
import posixpath
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, Final
from urllib.parse import quote

from harness.report import phrases
from harness.schema import DEFECT_KINDS, Finding, Location, Parameter, Related, Report, exit_code

_SCHEMA_URI: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_WRONG_GRADIENT: Final = "wrong-gradient"
"""Rule of a parameter that is wrong while no finding says why."""

Object = dict[str, Any]


def render(report: Report) -> str:
    """Return a SARIF log with one run: a result for each finding and for each wrong parameter that none explains."""
    results = [_finding_result(finding, report) for finding in report.findings]
    results += [_parameter_result(parameter, report) for parameter in _unexplained(report)]
    rule_ids = list(dict.fromkeys(result["ruleId"] for result in results))
    for result in results:
        result["ruleIndex"] = rule_ids.index(result["ruleId"])
    run: Object = {
        "tool": {
            "driver": {
                "name": report.tool.name,
                "version": report.tool.version,
                "rules": [_rule(rule_id) for rule_id in rule_ids],
            }
        },
        "invocations": [
            {
                "executionSuccessful": report.verdict != "blocked",
                "exitCode": int(exit_code(report)),
                "toolExecutionNotifications": _notifications(report),
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {"verdict": report.verdict, "summary": report.summary, "blindSpots": list(report.blind_spots)},
    }
    return json.dumps({"$schema": _SCHEMA_URI, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _unexplained(report: Report) -> list[Parameter]:
    """Return the wrong parameters that no defect claims; a defect that names no parameter claims them all."""
    defects = [finding for finding in report.findings if finding.kind in DEFECT_KINDS]
    if any(not finding.parameters for finding in defects):
        return []
    claimed = {name for finding in defects for name in finding.parameters}
    return [p for p in report.parameters if p.verdict == "wrong" and p.name not in claimed]


def _rule(rule_id: str) -> Object:
    if rule_id == _WRONG_GRADIENT:
        text = "Autodiff disagrees with the measured derivative, and no cause is proven."
        return {"id": rule_id, "shortDescription": {"text": text}}
    return {
        "id": rule_id,
        "shortDescription": {"text": rule_id.replace("-", " ")},
        "help": {"text": f"python -m harness.run explain {rule_id}"},
    }


def _finding_result(finding: Finding, report: Report) -> Object:
    is_certain = finding.kind in DEFECT_KINDS and finding.confidence in ("proven", "measured")
    remedy = f" Remedy: {finding.remedy}" if finding.remedy else ""
    result: Object = {
        "ruleId": finding.kind,
        "level": "error" if is_certain else "warning",
        "message": {"text": f"{finding.message}{remedy}"},
        "locations": [_location_or_script(finding.location, report)],
        "relatedLocations": [
            {"id": number, **_location(place, report), "message": {"text": place.role}}
            for number, place in enumerate(finding.related, start=1)
        ],
        "partialFingerprints": _fingerprint(finding.kind, finding.location, finding.parameters),
        "properties": {
            "confidence": finding.confidence,
            "title": finding.title,
            "parameters": list(finding.parameters),
            "evidence": phrases.evidence_lines(finding),
        },
    }
    for name, value in (("mechanism", finding.mechanism), ("cause", finding.cause)):
        if value is not None:
            result["properties"][name] = value
    return result


def _parameter_result(parameter: Parameter, report: Report) -> Object:
    return {
        "ruleId": _WRONG_GRADIENT,
        "level": "error",
        "message": {"text": phrases.summarize(parameter)},
        "locations": [_location_or_script(parameter.location, report)],
        "partialFingerprints": _fingerprint(_WRONG_GRADIENT, parameter.location, [parameter.name]),
        "properties": {"confidence": "measured", "parameters": [parameter.name]},
    }


def _notifications(report: Report) -> list[Object]:
    """Tell what is no result: a program that failed, and gradients that could not be judged."""
    notes: list[Object] = []
    if report.verdict == "blocked":
        place = report.failure.location if report.failure else None
        reason = report.failure.reason if report.failure else "blocked"
        notes.append(
            {
                "level": "error",
                "descriptor": {"id": reason},
                "message": {"text": report.summary},
                "locations": [_location(place, report)] if place else [],
            }
        )
    for parameter in report.parameters:
        if parameter.verdict == "undecided":
            check = phrases.telling_check(parameter)
            reason = check.reason if check and check.reason else "undecided"
            text = " ".join(filter(None, [phrases.summarize(parameter) + ".", check.explanation if check else ""]))
            notes.append({"level": "note", "descriptor": {"id": reason}, "message": {"text": text}})
    return notes


def _location_or_script(place: Location | None, report: Report) -> Object:
    """Return the place, or the script as a whole: a result without a location is refused by code scanning."""
    if place is not None:
        return _location(place, report)
    script = report.program.script
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(PureWindowsPath(script).name, script)}}}


def _location(place: Location | Related, report: Report) -> Object:
    region: Object = {"startLine": place.line}
    if place.end_line is not None and place.end_line >= place.line:
        region["endLine"] = place.end_line
    if place.snippet:
        region["snippet"] = {"text": place.snippet}
    location: Object = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(place.file, report.program.script)}, "region": region}
    }
    if place.function:
        location["logicalLocations"] = [{"name": place.function, "kind": "function"}]
    return location


def _uri(file: str, script: str) -> str:
    """Return a reference relative to the folder in which the command ran, where the script is given relative to it."""
    # A report names files relative to the script's folder; code scanning resolves them from the repository's root.
    on_windows = PureWindowsPath(PureWindowsPath(script).parent, file)
    if on_windows.drive:
        return on_windows.as_uri() if on_windows.is_absolute() else quote(on_windows.as_posix())
    path = posixpath.normpath(PurePosixPath(PurePosixPath(script).parent, file))
    return PurePosixPath(path).as_uri() if path.startswith("/") else quote(path)


def _fingerprint(rule_id: str, place: Location | None, parameters: Any) -> Object:
    """Return a fingerprint that survives edits elsewhere in the file: it holds the code of the line, not its number."""
    code = "".join(place.snippet.split()) if place else ""
    parts = [rule_id, place.file if place else "", code, *sorted(parameters)]
    return {"gradientFinding/v1": hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]}
