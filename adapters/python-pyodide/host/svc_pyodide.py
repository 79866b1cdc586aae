"""What Python has otherwise where there are no sockets, threads and processes."""

import asyncio
import time


class _Clock:
    """Stands where a selector would: with no sockets there is nothing to wait for but time."""

    def select(self, timeout):
        if timeout is None:
            raise RuntimeError("The function waits for something that nothing in it will bring about.")
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
        """Runs it at once: there is no other thread."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future


class _Policy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = Loop


def install():
    """Makes it the loop that everything gets."""
    asyncio.events._set_event_loop_policy(_Policy())


def suspending(exchange):
    """The same where JavaScript answers later: Python stands still meanwhile, and JavaScript does not."""
    from pyodide.ffi import run_sync
    from pyodide.webloop import WebLoopPolicy
    from svc import _loop
    from svc._dispatch import Dispatcher

    # Pyodide's own loop goes on where Python stands still, and counts as running all the time
    policy = WebLoopPolicy()
    asyncio.events._set_event_loop_policy(policy)
    _loop._loop = policy.get_event_loop()
    # the task has the exception already, for whoever waits for it
    _loop._loop._keyboard_interrupt_handler = lambda: None
    _loop._loop._system_exit_handler = lambda code: None
    return Dispatcher(lambda text: run_sync(exchange(text))).handle


def stop_waiting():
    """Ends every task, `time.sleep` among them, of a call whose time is over."""
    from svc import _loop

    for task in asyncio.all_tasks(_loop._loop):
        task.cancel()


def dispatcher(exchange):
    """The host's own dispatcher over a function that JavaScript gives."""
    from svc._dispatch import Dispatcher

    # Pyodide's own loop counts as running, also in functions that are not asynchronous
    asyncio._set_running_loop(None)
    return Dispatcher(exchange).handle
