"""Who may import whom: the phases meet at data, and what runs in the user's process needs Warp and numpy alone."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# What runs inside the user's interpreter, which promises nothing beyond Warp and numpy.
IN_USER_PROCESS = ("harness.record", "harness.execute.child")

# package -> the only parts of harness it may import besides itself
ALLOWED = {
    "harness.schema": (),
    "harness.record": ("harness.execute.child",),
    "harness.execute.child": ("harness.record",),
    "harness.report": ("harness.schema",),
}
# package -> parts of harness it must not import
FORBIDDEN = {
    "harness.measure": ("harness.record", "harness.execute", "harness.schema", "harness.report"),
    "harness.kinds": ("harness.report",),
    "harness.attribute": ("harness.report",),
}


def imports(source: str, module: str, is_package: bool = False) -> list[tuple[str, bool]]:
    """Every module `source` imports, absolute, with whether that happens when it is itself imported."""
    found: list[tuple[str, bool]] = []
    package = module if is_package else module.rpartition(".")[0]

    def visit(node: ast.AST, at_import: bool) -> None:
        if isinstance(node, ast.Import):
            found.extend((alias.name, at_import) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            origin = ".".join(part for part in (base, node.module) if part)
            # `from harness import record` names a package, so the name belongs to what is imported.
            found.extend(
                (f"{origin}.{alias.name}" if origin == "harness" else origin, at_import) for alias in node.names
            )
        inside = at_import and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(ast.parse(source), True)
    return found


def lies_in(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


def violations(source: str, module: str, is_package: bool = False) -> list[str]:
    """What `source`, placed at `module`, imports against the direction."""
    wrong = []
    for target, at_import in imports(source, module, is_package):
        top = target.split(".")[0]
        if top == "evals":
            wrong.append(f"{module} imports {target}: packagers drop evals")
        if top == "anthropic" and at_import and not lies_in(module, "harness.agent"):
            wrong.append(f"{module} imports {target} when it is imported: that takes seconds")
        if lies_in(module, *IN_USER_PROCESS) and top not in (
            *sys.stdlib_module_names,
            "numpy",
            "warp",
            "torch",
            "harness",
        ):
            wrong.append(f"{module} imports {target}: it runs in the user's interpreter")
        for package, allowed in ALLOWED.items():
            if lies_in(module, package) and top == "harness" and not lies_in(target, package, *allowed):
                wrong.append(f"{module} imports {target}: {package} knows nothing of it")
        for package, forbidden in FORBIDDEN.items():
            if lies_in(module, package) and lies_in(target, *forbidden):
                wrong.append(f"{module} imports {target}: {package} must not")
    return wrong


def test_every_module_of_the_harness_keeps_the_direction() -> None:
    paths = sorted((ROOT / "harness").rglob("*.py"))
    assert len(paths) > 20
    wrong = []
    for path in paths:
        parts = path.relative_to(ROOT).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        wrong += violations(path.read_text(), ".".join(parts[:-1] if is_package else parts), is_package)
    assert wrong == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("harness.schema.report", "import harness.measure"),
        ("harness.record.hooks", "import pydantic"),
        ("harness.record.hooks", "def late():\n    from harness.schema import Report"),
        ("harness.execute.child.main", "from ..session import Session"),
        ("harness.measure.judge", "from harness import record"),
        ("harness.measure.judge", "from ..execute.child import worker"),
        ("harness.report.text", "from harness.measure.judge import judge"),
        ("harness.kinds.array_overwrite", "from harness.report import text"),
        ("harness.attribute.search", "from ..report.text import render"),
        ("harness.run", "from evals.cases import load"),
        ("harness.run", "try:\n    import anthropic\nexcept ImportError:\n    pass"),
    ],
)
def test_a_wrong_import_is_found(module: str, source: str) -> None:
    assert len(violations(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("harness.record.hooks", "import json\nimport numpy as np\nimport warp as wp\nfrom .memory import Range"),
        ("harness.execute.child.main", "from ...record.hooks import install"),
        ("harness.report.text", "from harness.schema import Report"),
        ("harness.run", "def ask():\n    import anthropic"),
        ("harness.agent.loop", "import anthropic"),
    ],
)
def test_a_right_import_passes(module: str, source: str) -> None:
    assert violations(source, module) == []
