"""Templates are filled with checked variables, and nothing but literals gets in."""

import ast
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import jinja2
import pytest

from harness.options import UsageError
from harness.templates import TEMPLATES, render
from harness.templates.rendering import _only_printable, command, file_name, folder
from harness.templates.values import NotALiteral, parse

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = [name for name in TEMPLATES if file_name(name).endswith(".py.j2")]


def test_every_template_has_variables_and_every_model_a_template() -> None:
    files = {path.name for path in folder().glob("*.j2") if not path.name.startswith("_")}
    assert files == {file_name(name) for name in TEMPLATES}


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_example_of_a_template_renders(name: str) -> None:
    assert render(name, dict(TEMPLATES[name].example)).endswith("\n")
    assert f"render {name} " in command(name)


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_variable_says_what_it_means(name: str) -> None:
    assert TEMPLATES[name].__doc__
    assert all(field.description for field in TEMPLATES[name].model_fields.values())


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_rendered_script_needs_warp_and_numpy_alone(name: str) -> None:

    tree = ast.parse(render(name, dict(TEMPLATES[name].example)))
    imported = {
        alias.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    imported |= {(node.module or "").split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert "warp" in imported
    assert imported <= {*sys.stdlib_module_names, "numpy", "warp"}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_rendered_script_keeps_no_line_over_the_length_of_the_project(name: str) -> None:
    assert max(map(len, render(name, dict(TEMPLATES[name].example)).splitlines())) <= 120


def test_a_missing_variable_is_named_with_a_full_command() -> None:
    with pytest.raises(UsageError) as raised:
        render("fd_check", {"script": "train.py"})
    assert "`parameters` is missing" in str(raised.value)
    assert "python -m harness.run render fd_check --set script=train.py" in str(raised.value)


def test_an_unknown_variable_is_named_with_a_close_one() -> None:
    with pytest.raises(UsageError, match=r"`paramters` is no variable of it; did you mean `parameters`\?"):
        render("fd_check", {"script": "train.py", "parameters": ["x"], "paramters": ["x"]})


def test_an_unknown_template_is_named_with_a_close_one() -> None:
    with pytest.raises(UsageError, match=r"no template `fd-chek`. Did you mean `fd_check`\?"):
        render("fd-chek", {})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"parameters": ["x"]}, "give either `forward` or `script`"),
        ({"forward": "a.py:f", "script": "a.py", "parameters": ["x"]}, "give either `forward` or `script`"),
        ({"forward": "a.py:f", "parameters": ["x"]}, "are names with contents"),
        ({"forward": "a.py", "parameters": {"x": [1.0]}}, "`a.py` is not FILE.py:NAME"),
        ({"forward": "a.py:f", "parameters": {"x": [1.0, float("nan")]}}, "not a finite number"),
        ({"script": "a.py", "parameters": ["x + y"]}, "is not the name of an array"),
        ({"script": "a.py", "parameters": ["x"], "seed": "one"}, "`seed`"),
        ({"script": "a.py", "parameters": ["x"], "iteration": -1}, "`iteration`"),
    ],
)
def test_a_wrong_value_is_named(given: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError) as raised:
        render("fd_check", given)
    assert said in str(raised.value)


INJECTIONS = ['x"]; import os; os.remove("a") #', 'x"""\nraise SystemExit', "{{ 7 * 7 }}", "\\'; boom = 1 #", "x\n\ny"]


@pytest.mark.parametrize("text", INJECTIONS)
def test_a_value_with_code_in_it_stays_a_value(text: str) -> None:
    plain = render("fd_check", {"script": "a.py", "parameters": ["x"], "arguments": ["--file"]})
    made = render("fd_check", {"script": "a.py", "parameters": ["x"], "arguments": [text]})
    assert ast.dump(ast.parse(made)).replace(repr(text), repr("--file")) == ast.dump(ast.parse(plain))


def test_a_template_cannot_print_a_value_without_the_filter() -> None:
    environment = jinja2.Environment(finalize=_only_printable, undefined=jinja2.StrictUndefined)
    with pytest.raises(NotALiteral, match="without a filter"):
        environment.from_string("NAME = {{ value }}").render(value="1")
    with pytest.raises(jinja2.UndefinedError):
        environment.from_string("NAME = {{ other }}").render(value="1")


def test_the_templates_are_found_in_a_copy_of_the_folder(tmp_path: Path) -> None:

    for part in ("harness", "templates"):
        shutil.copytree(ROOT / part, tmp_path / "skill" / part, ignore=shutil.ignore_patterns("__pycache__"))
    command_line = [sys.executable, str(tmp_path / "skill" / "harness" / "run.py"), "render", "fd_check"]
    settings = ["--set", "script=a.py", "--set", "parameters=['x']", "--output", "out.py"]
    done = subprocess.run([*command_line, *settings], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    compile((tmp_path / "out.py").read_text(), "out.py", "exec")


def test_missing_templates_are_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.templates.rendering._PROBE", "_no_such_file.j2")
    with pytest.raises(UsageError, match="Copy the whole folder of this skill"):
        folder()


def _commands() -> list[list[str]]:
    """The commands of the page about templates that render one by name."""
    page = (ROOT / "references" / "templates.md").read_text().replace("\\\n", " ")
    lines = [shlex.split(line) for line in page.splitlines() if line.startswith("    python -m harness.run render ")]
    return [words for words in lines if words[4] in TEMPLATES and "--output" in words]


def test_every_template_has_a_section_and_a_command_on_the_page() -> None:
    page = (ROOT / "references" / "templates.md").read_text()
    sections = [line[3:] for line in page.splitlines() if line.startswith("## ")]
    assert sections[1:] == ["fd_check", *[name for name in TEMPLATES if name != "fd_check"]]
    assert {words[4] for words in _commands()} == set(TEMPLATES)


@pytest.mark.parametrize("words", _commands(), ids=lambda words: words[4])
def test_a_command_of_the_page_renders(words: list[str]) -> None:
    settings = [words[k + 1].partition("=") for k, word in enumerate(words) if word == "--set"]
    assert render(words[4], {name: parse(text) for name, _, text in settings})
