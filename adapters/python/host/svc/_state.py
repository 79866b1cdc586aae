"""The running call and the connection to the host."""

import contextvars
import json
import sys
import threading

from . import _errors

#: The host removes sensitive arguments before it cuts a text, so it gets texts whole. An argument has at most 1 MiB, and its
#: longest form is six times as long.
MAX_TEXT = 8 * 2**20
#: The most bytes of a request: the host answers no other call while it parses one.
_MAX_REQUEST = 64 * 2**20


class Call:
    """A call: its id in the protocol, its user and its file."""

    __slots__ = ("id", "user", "file")

    def __init__(self, call_id, user, file):
        self.id = call_id
        self.user = user
        self.file = file


#: The call that the current code belongs to. Threads and tasks inherit it.
_current = contextvars.ContextVar("svc_call", default=None)
_running = None
_exchange = None


def connect(exchange):
    """Sets the function that sends a text to the host and waits for its answer."""
    global _exchange
    _exchange = exchange


def run(call, work):
    """Runs work as part of a call. Threads that outlive the call cannot reach the host."""
    global _running
    _inherit()
    _running = call
    try:
        return contextvars.copy_context().run(_within, call, work)
    finally:
        _running = None


def _within(call, work):
    _current.set(call)
    return work()


def current():
    """Returns the call that the current code belongs to; raises OutsideCall."""
    call = _current.get()
    if call is None or call is not _running:
        raise _errors.OutsideCall(
            "svc.runtime was used outside of a call: by a thread or task that its call did not wait for."
        )
    return call


def user():
    """Returns the user of the call; None without authentication or outside of a call."""
    call = _current.get()
    return None if call is None or call is not _running else call.user


def ask(what, **fields):
    """Sends a request to the host and returns the value of its answer. Raises HostError or OutsideCall."""
    # NaN is not valid JSON, and the host could not parse the message.
    message = json.dumps({"op": "ask", "id": current().id, "what": what, **fields}, allow_nan=False)
    if len(message) > _MAX_REQUEST:
        text = "A request of a function to the server may have 64 MiB, and this one has more."
        raise _errors.from_reply({"code": "request_too_large", "message": text, "database": what == "execute"})
    reply = json.loads(_exchange(message))
    error = reply.get("error")
    if error is not None:
        raise _errors.from_reply(error)
    return reply.get("value")


def _inherit():
    """Makes threads inherit the context of the code that starts them, or submits work to their executor."""
    if not hasattr(threading.Thread.start, "svc"):
        threading.Thread.start = _starting(threading.Thread.start)
    executors = sys.modules.get("concurrent.futures.thread")
    if executors is not None and not hasattr(executors.ThreadPoolExecutor.submit, "svc"):
        executors.ThreadPoolExecutor.submit = _submitting(executors.ThreadPoolExecutor.submit)


def _starting(start):
    def start_in_context(thread):
        context, work = contextvars.copy_context(), thread.run
        thread.run = lambda: context.run(work)
        return start(thread)

    start_in_context.svc = True
    return start_in_context


def _submitting(submit):
    def submit_in_context(executor, work, /, *args, **kwargs):
        return submit(executor, contextvars.copy_context().run, work, *args, **kwargs)

    submit_in_context.svc = True
    return submit_in_context
