"""Scripts to hand to a reviewer: Jinja2 templates, the variables each takes, and how they are filled."""

from harness.templates.rendering import render
from harness.templates.variables import TEMPLATES, Variables

__all__ = ["TEMPLATES", "Variables", "render"]
