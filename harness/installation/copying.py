"""Copies the skill, or links to it, and never touches a file that it did not write.

A manifest in the folder holds a digest of each file as it was written. A file that still has it is ours, and may be
replaced or removed; any other stays as it is and is named.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..options import VERSION, UsageError
from .payload import ROOT, digest, payload

MANIFEST = ".installed-by-warp-debug-gradients.json"


@dataclass(frozen=True)
class Outcome:
    """What an installation did, or would do."""

    folder: Path
    is_link: bool
    old_version: str | None
    """Of the copy that was there; None if there was none."""
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    """Files in the way that are not ours, or were changed since."""
    has_changed: bool = True


def install_copy(folder: Path, is_dry: bool = False, root: Path = ROOT) -> Outcome:
    """Copy what the skill needs to `folder`.

    Raises:
        UsageError: something that is not ours stands there, or nothing can be written there.
    """
    if folder.resolve() == root:
        raise UsageError(f"`{folder}` is the folder this command runs from; there is nothing to install.")
    if folder.is_symlink():
        raise UsageError(f"`{folder}` is a link to {folder.resolve()}; remove it first (rm {folder}), or use --link.")
    known = _manifest(folder)
    files = payload(root)
    ours = {name: contents for name, contents in files.items() if _may_write(folder, name, contents, known)}
    written = tuple(name for name, contents in ours.items() if _current(folder, name) != contents)
    kept = [name for name in files if name not in ours]
    stale = [name for name in known.files if name not in files and (folder / name).is_file()]
    removed = tuple(name for name in stale if _is_ours(folder, name, known))
    kept += [name for name in stale if name not in removed]
    hashes = {name: digest(contents) for name, contents in ours.items()}
    hashes |= {name: known.files[name] for name in kept if name in known.files}
    has_changed = bool(written or removed) or known.version != VERSION
    if not is_dry and has_changed:
        try:
            _carry_out(folder, {name: files[name] for name in written}, removed, hashes, known)
        except OSError as error:
            raise UsageError(f"`{error.filename or folder}` cannot be written ({error.strerror}).") from None
    return Outcome(folder, False, known.version, written, removed, tuple(kept), has_changed)


def install_link(folder: Path, is_dry: bool = False, root: Path = ROOT) -> Outcome:
    """Make `folder` a link to the folder this command runs from.

    Raises:
        UsageError: something else stands there, or links cannot be made.
    """
    if folder.resolve() == root:
        return Outcome(folder, True, VERSION, has_changed=False)
    if folder.is_symlink() or folder.exists():
        raise UsageError(f"`{folder}` exists; remove it first (rm -r {folder}) if it may be replaced by a link.")
    if not is_dry:
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.symlink_to(root, target_is_directory=True)
        except OSError as error:
            raise UsageError(f"`{folder}` cannot be made a link ({error.strerror}); use --copy.") from None
    return Outcome(folder, True, None)


@dataclass(frozen=True)
class _Manifest:
    version: str | None
    files: dict[str, str]


def _manifest(folder: Path) -> _Manifest:
    """What was installed before.

    Raises:
        UsageError: the folder holds something, and not from us.
    """
    try:
        body = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return _Manifest(str(body["version"]), {str(k): str(v) for k, v in body["files"].items()})
    except FileNotFoundError:
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            return _Manifest(None, {})
        reason = "exists, and was not put there by this command"
    except (OSError, ValueError, KeyError, AttributeError):
        reason = f"has a damaged {MANIFEST}"
    raise UsageError(f"`{folder}` {reason}. Move it away, or choose another place with --target.")


def _may_write(folder: Path, name: str, contents: bytes, known: _Manifest) -> bool:
    """True for a file that is not there, is as it should be, or is as we wrote it."""
    if _passes_a_link(folder, name):
        return False
    path = folder / name
    if not os.path.lexists(path):
        return True
    return path.is_file() and (path.read_bytes() == contents or _is_ours(folder, name, known))


def _is_ours(folder: Path, name: str, known: _Manifest) -> bool:
    return not _passes_a_link(folder, name) and digest((folder / name).read_bytes()) == known.files.get(name)


def _passes_a_link(folder: Path, name: str) -> bool:
    """True if a part of the path below the folder is a link: what is behind it belongs to somebody else."""
    parts = Path(name).parts
    return any((folder / Path(*parts[: n + 1])).is_symlink() for n in range(len(parts)))


def _current(folder: Path, name: str) -> bytes | None:
    path = folder / name
    return path.read_bytes() if path.is_file() else None


def _carry_out(
    folder: Path, written: dict[str, bytes], removed: tuple[str, ...], hashes: dict[str, str], known: _Manifest
) -> None:
    """Write, remove, note. The first time the note comes first, so that an interrupted copy is known as ours."""
    folder.mkdir(parents=True, exist_ok=True)
    note = json.dumps({"name": folder.name, "version": VERSION, "files": hashes}, indent=1, sort_keys=True).encode()
    if known.version is None:
        _write(folder / MANIFEST, note)
    for name, contents in written.items():
        _write(folder / name, contents)
    for name in removed:
        (folder / name).unlink()
        for parent in (folder / name).parents:
            if parent == folder or any(parent.iterdir()):
                break
            parent.rmdir()
    _write(folder / MANIFEST, note)


def _write(path: Path, contents: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(contents)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
