"""Getting the skill into an assistant's folder of skills. Needs the standard library alone."""

from harness.installation.copying import Outcome, install_copy, install_link
from harness.installation.places import ASSISTANTS, NAME, Scope, skills_folder

__all__ = ["ASSISTANTS", "NAME", "Outcome", "Scope", "install_copy", "install_link", "skills_folder"]
