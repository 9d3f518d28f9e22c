"""The report contract, version "1". Everything that crosses from analysis to a reader goes through these models."""

from harness.schema.evidence import ArrayChange, Comparison, Event, Evidence, Note, Number, Series
from harness.schema.exit_codes import ExitCode, exit_code
from harness.schema.finding import Finding, NotAttributed, RuledOut, WithIntervention, WithoutNumbers
from harness.schema.parameter import Check, Element, Parameter
from harness.schema.place import Location, Related
from harness.schema.probe import ProbeCheck, ProbeResult
from harness.schema.report import Cost, Environment, Failure, ProgramInfo, Report, Tool
from harness.schema.verification import (
    CheckOutcome,
    ConstantChange,
    GradientNumbers,
    ProgramNumbers,
    Verification,
    VerificationVerdict,
    VerifyCheck,
)
from harness.schema.vocabulary import (
    DEFECT_KINDS,
    NON_DEFECT_KINDS,
    SCHEMA_VERSION,
    Cause,
    CheckVerdict,
    Confidence,
    DefectKind,
    KindName,
    Mechanism,
    NonDefectKind,
    Oracle,
    ParameterVerdict,
    ReportVerdict,
)

__all__ = [
    "DEFECT_KINDS",
    "NON_DEFECT_KINDS",
    "SCHEMA_VERSION",
    "ArrayChange",
    "Cause",
    "Check",
    "CheckOutcome",
    "CheckVerdict",
    "Comparison",
    "Confidence",
    "ConstantChange",
    "Cost",
    "DefectKind",
    "Element",
    "Environment",
    "Event",
    "Evidence",
    "ExitCode",
    "Failure",
    "Finding",
    "GradientNumbers",
    "KindName",
    "Location",
    "Mechanism",
    "NonDefectKind",
    "NotAttributed",
    "Note",
    "Number",
    "Oracle",
    "Parameter",
    "ParameterVerdict",
    "ProbeCheck",
    "ProbeResult",
    "ProgramInfo",
    "ProgramNumbers",
    "Related",
    "Report",
    "ReportVerdict",
    "RuledOut",
    "Series",
    "Tool",
    "Verification",
    "VerificationVerdict",
    "VerifyCheck",
    "WithIntervention",
    "WithoutNumbers",
    "exit_code",
]
