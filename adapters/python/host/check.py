"""Parses Python files without running them: their syntax errors, their functions, their other names."""

import ast
import json
import sys


def main():
    """Reads the texts of files, by path, from standard input; writes the facts of each to standard output."""
    texts = json.load(sys.stdin)
    json.dump({file: read(file, text) for file, text in texts.items()}, sys.stdout)


def read(file, text):
    try:
        tree = ast.parse(text, file)
    except SyntaxError as error:
        return {"error": {"message": error.msg, "line": error.lineno or 1, "column": max(error.offset or 1, 1)}}
    except (ValueError, RecursionError, MemoryError) as error:
        return {"error": {"message": str(error) or type(error).__name__, "line": 1, "column": 1}}
    found = {"functions": {}, "names": [], "open": False}
    for statement in flat(tree.body):
        note(statement, found)
    return found


def flat(body):
    """Yields the statements of a module, with those inside `if`, `try` and `with`."""
    for statement in body:
        yield statement
        for field in ("body", "orelse", "finalbody"):
            if isinstance(statement, (ast.If, ast.Try, ast.With)):
                yield from flat(getattr(statement, field, []))
        for handler in getattr(statement, "handlers", []):
            yield from flat(handler.body)


def note(statement, found):
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        found["functions"][statement.name] = function(statement)
    elif isinstance(statement, ast.ClassDef):
        found["names"].append(statement.name)
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        for name in statement.names:
            found["open"] = found["open"] or name.name == "*"
            found["names"].append((name.asname or name.name).split(".")[0])
    elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        found["names"].extend(part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))


def function(node):
    every = node.args
    positional = [*every.posonlyargs, *every.args]
    defaults = [None] * (len(positional) - len(every.defaults)) + list(every.defaults)
    named = list(zip(positional, defaults)) + list(zip(every.kwonlyargs, every.kw_defaults))
    return {
        "line": node.lineno,
        "decorated": bool(node.decorator_list),
        "open": every.kwarg is not None,
        "parameters": [
            {
                "name": argument.arg,
                "line": argument.lineno,
                "column": argument.col_offset + 1,
                "positional": argument in every.posonlyargs,
                "required": default is None,
                **literal(default),
                "type": type_name(argument.annotation),
            }
            for argument, default in named
        ],
    }


def literal(node):
    """Returns the default of a parameter if YAML can express it, else nothing."""
    try:
        value = ast.literal_eval(node) if node is not None else ...
        # JSON has no infinity, and the host could not parse it.
        return {} if value is ... or json.loads(json.dumps(value, allow_nan=False)) != value else {"default": value}
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return {}


def type_name(node):
    """Returns the plain name of a type: `int` for `int`, `list` for `list[int]`; None for anything else."""
    if isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.split("[")[0]
    return node.id if isinstance(node, ast.Name) else None


main()
