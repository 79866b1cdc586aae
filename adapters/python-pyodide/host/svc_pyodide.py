"""Replaces the parts of Python that need sockets, threads or processes, which WebAssembly does not have."""

import asyncio
import os
import sys
import time


class _Clock:
    """The selector of an event loop without sockets: it only waits for time to pass."""

    def select(self, timeout):
        if timeout is None:
            raise RuntimeError("The function waits for an event that can never happen.")
        if timeout > 0:
            time.sleep(timeout)
        return ()

    def close(self):
        pass


class Loop(asyncio.BaseEventLoop):
    """An event loop of timers and tasks."""

    def __init__(self):
        super().__init__()
        self._selector = _Clock()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, func, *args):
        """Runs the function at once: there is no other thread."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future


class _Policy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = Loop


def install():
    """Makes `Loop` the event loop of all code."""
    asyncio.events._set_event_loop_policy(_Policy())


def suspending(exchange):
    """Returns a dispatcher whose host answers asynchronously: Python is suspended meanwhile, JavaScript is not."""
    from pyodide.ffi import run_sync
    from pyodide.webloop import WebLoopPolicy
    from svc import _loop
    from svc._dispatch import Dispatcher

    # Pyodide's own loop continues while Python is suspended, and counts as running all the time.
    policy = WebLoopPolicy()
    asyncio.events._set_event_loop_policy(policy)
    _loop._loop = policy.get_event_loop()
    # The task holds the exception already, and the code that awaits it receives it.
    _loop._loop._keyboard_interrupt_handler = lambda: None
    _loop._loop._system_exit_handler = lambda code: None
    return _ending_lines(Dispatcher(lambda text: run_sync(exchange(text))).handle)


def stop_waiting():
    """Cancels all tasks of a call whose time is over, including `time.sleep`."""
    from svc import _loop

    for task in asyncio.all_tasks(_loop._loop):
        task.cancel()


def dispatcher(exchange):
    """Returns the dispatcher of the host, over a function of JavaScript."""
    from svc._dispatch import Dispatcher

    # Pyodide's own loop counts as running, even in functions that are not asynchronous.
    asyncio._set_running_loop(None)
    return _ending_lines(Dispatcher(exchange).handle)


def _ending_lines(handle):
    """Lets no call leave an unfinished line, which would appear among the lines of a later call."""

    def answer(text):
        try:
            return handle(text)
        finally:
            for number, stream in ((1, sys.stdout), (2, sys.stderr)):
                _flush(number, stream)

    return answer


def _flush(number, stream):
    try:
        if stream is not None:
            stream.flush()
        # Pyodide itself keeps a text until the end of its line.
        os.fsync(number)
    except Exception:
        # A function may have closed or replaced the stream.
        pass
