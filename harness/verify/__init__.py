"""Is a fix a fix? Two programs, before and after, measured by the same means."""

from harness.verify.investigation import Investigation, investigate, verify
from harness.verify.settings import VerifySettings

__all__ = ["Investigation", "VerifySettings", "investigate", "verify"]
