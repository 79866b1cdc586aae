"""The functions of `@on_init` and `@on_shutdown`."""

_starting = []
_ending = []


def on_init(function):
    _starting.append(function)
    return function


def on_shutdown(function):
    _ending.append(function)
    return function


def run_starting(run):
    """Runs the `@on_init` functions that were added since the last call."""
    while _starting:
        run(_starting.pop(0))


def run_ending(run, failed):
    """Runs the `@on_shutdown` functions, the last one added first. After a failure the others still run."""
    while _ending:
        try:
            run(_ending.pop())
        except BaseException as error:  # noqa: B902
            failed(error)
