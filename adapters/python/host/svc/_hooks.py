"""What runs when a file is loaded, and when the process ends."""

_starting = []
_ending = []


def on_init(function):
    _starting.append(function)
    return function


def on_shutdown(function):
    _ending.append(function)
    return function


def run_starting(run):
    """Runs the hooks that were added since, each once."""
    while _starting:
        run(_starting.pop(0))


def run_ending(run, failed):
    """Runs every hook, the last one added first; one that fails stops no other."""
    while _ending:
        try:
            run(_ending.pop())
        except BaseException as error:  # noqa: B902
            failed(error)
