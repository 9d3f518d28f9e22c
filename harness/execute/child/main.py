"""The worker process: imports Warp once, then runs one child per plan.

Started by path in the user's interpreter (``python main.py ADDRESS SCRATCH``). The harness package is loaded under a
private name, so that a user's own package called ``harness`` still imports.
"""

from __future__ import annotations

import importlib.util
import os
import sys

ALIAS = "_warp_gradient_harness"


def _load_package() -> None:
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    spec = importlib.util.spec_from_file_location(
        ALIAS, os.path.join(root, "__init__.py"), submodule_search_locations=[root]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[ALIAS] = package
    spec.loader.exec_module(package)


if __name__ == "__main__":
    # This folder must not shadow modules of the user's; `program` puts theirs in place. With -P it is not there.
    if sys.path and os.path.abspath(sys.path[0]) == os.path.dirname(os.path.abspath(__file__)):
        del sys.path[0]
    _load_package()
    worker = importlib.import_module(f"{ALIAS}.execute.child.worker")
    worker.main(sys.argv[1:])
