"""The functions of `@on_init` and `@on_shutdown`."""

_starting = []
_ending = []


def on_init(function):
    _starting.append(function)
    return function


def on_shutdown(function):
    _ending.append(function)
    return function


def mark():
    """Returns the state of the hooks before a load, for take_back."""
    return list(_starting), len(_ending)


def run_starting(run):
    """Runs the `@on_init` functions that were added since the last call."""
    while _starting:
        run(_starting.pop(0))


def take_back(before, run):
    """Drops the hooks that a failed load has added, so that its next attempt adds them again.

    `run` runs its `@on_shutdown` functions first; None if its `@on_init` functions had not begun.
    """
    waiting, kept = before
    _starting[:] = [hook for hook in waiting if hook in _starting]
    if run is not None:
        # The error of the load itself is reported.
        run_ending(run, lambda error: None, kept)
    del _ending[kept:]


def run_ending(run, failed, kept=0):
    """Runs the `@on_shutdown` functions, the last one added first. After a failure the others still run."""
    while len(_ending) > kept:
        try:
            run(_ending.pop())
        except BaseException as error:  # noqa: B902
            failed(error)
