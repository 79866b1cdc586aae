"""Answers the messages of the host. A message and its answer are JSON texts."""

import json

from . import _arguments, _failure, _hooks, _loop, _modules, _state, _values

_WORDS = ("false", "true")


class Dispatcher:
    """Answers messages one at a time. `exchange` sends a text to the host and returns its answer."""

    def __init__(self, exchange):
        _state.connect(exchange)
        self._steps = {"start": self._start, "load": self._load, "call": self._call, "stop": self._stop}

    def handle(self, text):
        """Returns the answer to one message. Never raises."""
        message = json.loads(text)
        try:
            return self._answer(message)
        except BaseException as error:  # noqa: B902
            failure = _failure.describe(error)
            return json.dumps({"op": "failed", "id": message.get("id"), "error": failure})

    def _answer(self, message):
        try:
            return self._steps[message["op"]](message)
        finally:
            _modules.note()

    def _start(self, message):
        import sys

        _modules.start(message["root"], message["folder"], message["follow"])
        return json.dumps({"op": "ready", "version": ".".join(map(str, sys.version_info[:3]))})

    def _load(self, message):
        if _modules.is_stale():
            return _stale(message)
        file = message["file"]
        _state.run(_state.Call(message["id"], None, file), lambda: _load_file(file))
        return json.dumps({"op": "done", "id": message["id"], "value": None})

    def _call(self, message):
        call_id, file = message["id"], message["file"]
        if _modules.is_stale():
            return _stale(message)
        function = _modules.function(file, message["name"])
        args = _arguments.to_python(message["args"], message["kinds"])
        call = _state.Call(call_id, message["user"], file)

        def work():
            return _values.dumps(_loop.run(function(**args)), message["maxRows"], message["maxBytes"])

        value, binary, truncated = _state.run(call, work)
        facts = call_id, _WORDS[binary], _WORDS[truncated], value
        return '{"op":"done","id":%d,"binary":%s,"truncated":%s,"value":%s}' % facts

    def _stop(self, message):
        errors = []

        def stop():
            _hooks.run_ending(_run_hook, lambda error: errors.append(_failure.describe(error)))

        _state.run(_state.Call(message["id"], None, None), stop)
        return json.dumps({"op": "stopped", "id": message["id"], "errors": errors})


def _stale(message):
    """Returns the answer that files have changed, so that the host takes another interpreter."""
    return json.dumps({"op": "stale", "id": message["id"]})


def _load_file(file):
    """Imports a file and runs the `@on_init` functions that this adds. A failed load leaves nothing behind."""
    modules, hooks = _modules.mark(), _hooks.mark()
    run = None
    try:
        _modules.load(file)
        run = _run_hook
        _hooks.run_starting(run)
    except BaseException:
        _hooks.take_back(hooks, run)
        _modules.take_back(modules, file)
        raise


def _run_hook(hook):
    return _loop.run(hook())
