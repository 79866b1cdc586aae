"""Imports the project's Python files."""

import importlib.util
import os
import sys
import time

from . import _errors

_root = ""
_folder = ""
_follow = False
_loaded = {}
#: The times and sizes of the project's imported files.
_stamps = {}
#: The time at which the current message came, in nanoseconds.
_since = 0
#: Paths of modules outside the project, remembered because resolving them for each call takes time.
_foreign = set()


def start(root, folder, follow):
    """Sets the project. Its module folder comes after the standard library and before installed packages."""
    global _root, _folder, _follow, _since
    _root = os.path.realpath(root)
    _folder = os.path.normpath(os.path.join(_root, *folder.split("/")))
    _follow = follow
    _since = time.time_ns()
    packages = [i for i, path in enumerate(sys.path) if path.endswith(("site-packages", "dist-packages"))]
    sys.path.insert(packages[0] if packages else len(sys.path), _folder)


def load(file):
    """Imports a file of the project, once."""
    if file in _loaded:
        return
    path = os.path.join(_root, *file.split("/"))
    name = _name_of(path)
    _loaded[file] = _import(path) if name is None else importlib.import_module(name)


def mark():
    """Returns the names of the imported modules, for take_back."""
    return set(sys.modules)


def take_back(before, file):
    """Forgets a file whose load failed and the project's modules that it imported, so that the next load imports them again."""
    _loaded.pop(file, None)
    added = {name: module for name, module in list(sys.modules.items()) if name not in before}
    paths = {name: getattr(module, "__file__", None) or "" for name, module in added.items()}
    # A package with native code, such as numpy, cannot be imported twice.
    native = {name.split(".")[0] for name, path in paths.items() if path and not path.endswith(".py")}
    for name, path in paths.items():
        if path and name.split(".")[0] not in native and _is_own(path):
            _drop(name, added[name])


def _drop(name, module):
    """Removes a module, also from its package: `from package import module` would find it there."""
    del sys.modules[name]
    package, _, own = name.rpartition(".")
    if getattr(sys.modules.get(package), own, None) is module:
        delattr(sys.modules[package], own)


def function(file, name):
    """Returns a function of a loaded file; raises NoFunction."""
    module = _loaded[file]
    found = getattr(module, name, None)
    if callable(found):
        return found
    raise _errors.NoFunction(_missing(module, file, name))


def is_stale():
    """Returns whether a file has changed since it was loaded; always False without `follow`. It comes before each load and call."""
    global _since
    if not _follow:
        return False
    _since = time.time_ns()
    return any(_stamp_of(path) != stamp for path, stamp in _stamps.items())


def note():
    """Remembers the files that a load or a call has imported. A file that was saved meanwhile counts as changed."""
    if not _follow:
        return
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if not path or path in _stamps or path in _foreign:
            continue
        if not _is_own(path):
            _foreign.add(path)
            continue
        stamp = _stamp_of(path)
        _stamps[path] = () if stamp is not None and _since < stamp[0] <= time.time_ns() else stamp


def shown(path):
    """Returns a path relative to the project's root; None for a file outside the project or an installed package."""
    found = os.path.realpath(path)
    if not found.startswith(_root + os.sep):
        return None
    relative = found[len(_root) + 1 :].replace(os.sep, "/")
    return None if "site-packages/" in relative else relative


def _is_own(path):
    """Returns whether a file belongs to the project, also through a link that leads out of it."""
    return shown(path) is not None or path.startswith(_root + os.sep) and "site-packages" not in path


def _name_of(path):
    """Returns the name under which other files import a file of the module folder, so that it is loaded once; else None."""
    if not path.startswith(_folder + os.sep):
        return None
    parts = os.path.splitext(path)[0][len(_folder) + 1 :].split(os.sep)
    if not all(part.isidentifier() for part in parts):
        return None
    try:
        spec = importlib.util.find_spec(parts[0])
    except (ImportError, ValueError):
        return None
    places = [spec.origin, *(spec.submodule_search_locations or [])] if spec else []
    inside = any(place and os.path.realpath(place).startswith(_folder + os.sep) for place in places)
    return ".".join(parts) if inside else None


def _import(path):
    """Loads a file that cannot be imported by name: one beside its YAML, or one whose name another module has."""
    stem = os.path.splitext(path)[0][len(_root) + 1 :]
    name = "svc_project_" + "".join(letter if letter.isalnum() else "_" for letter in stem)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _missing(module, file, name):
    import difflib

    own = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
    near = difflib.get_close_matches(name, own, 1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"{file} has no function {name}.{hint}"


def _stamp_of(path):
    try:
        found = os.stat(path)
        return (found.st_mtime_ns, found.st_size)
    except OSError:
        return None
