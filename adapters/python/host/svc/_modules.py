"""The project's Python files as modules."""

import importlib.util
import os
import sys

from . import _errors

_root = ""
_folder = ""
_follow = False
_loaded = {}
_stamps = {}
#: Paths of modules of others; what is asked for each call must not resolve them each time.
_foreign = set()


def start(root, folder, follow):
    """Where the project is; its folder of modules comes after the standard library and before packages."""
    global _root, _folder, _follow
    _root = os.path.realpath(root)
    _folder = os.path.normpath(os.path.join(_root, *folder.split("/")))
    _follow = follow
    packages = [i for i, path in enumerate(sys.path) if path.endswith(("site-packages", "dist-packages"))]
    sys.path.insert(packages[0] if packages else len(sys.path), _folder)


def load(file):
    """Imports a file of the project, once."""
    if file in _loaded:
        return
    path = os.path.join(_root, *file.split("/"))
    name = _name_of(path)
    _loaded[file] = _import(path) if name is None else importlib.import_module(name)
    _stamp()


def forget(file):
    """A file whose hooks failed is loaded again by the next call."""
    module = _loaded.pop(file, None)
    if module is not None:
        sys.modules.pop(module.__name__, None)


def function(file, name):
    """A function of a loaded file."""
    module = _loaded[file]
    found = getattr(module, name, None)
    if callable(found):
        return found
    raise _errors.NoFunction(_missing(module, file, name))


def is_stale():
    """Whether a file was changed since it was loaded; only where that is looked at."""
    if not _follow:
        return False
    if any(_stamp_of(path) != stamp for path, stamp in _stamps.items()):
        return True
    _stamp()
    return False


def shown(path):
    """A path as the project's people know it: relative to its root; None for code of others."""
    found = os.path.realpath(path)
    if not found.startswith(_root + os.sep):
        return None
    relative = found[len(_root) + 1 :].replace(os.sep, "/")
    return None if "site-packages/" in relative else relative


def _name_of(path):
    """The name that imports know a module of the folder by, so that there is one of it; None for any other file."""
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
    """A file beside its YAML, or one that is named as a module of somebody else, is nobody's to import."""
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


def _stamp():
    if not _follow:
        return
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if not path or path in _stamps or path in _foreign:
            continue
        if shown(path) is None:
            _foreign.add(path)
        else:
            _stamps[path] = _stamp_of(path)


def _stamp_of(path):
    try:
        found = os.stat(path)
        return (found.st_mtime_ns, found.st_size)
    except OSError:
        return None
