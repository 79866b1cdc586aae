"""Runs asynchronous functions in one event loop per process."""

_loop = None


def run(result):
    """Returns the result of a function, and awaits it first if it is awaitable."""
    return _run(result) if hasattr(result, "__await__") else result


def _run(awaitable):
    global _loop
    import asyncio

    if _loop is None:
        _loop = asyncio.new_event_loop()
        asyncio.set_event_loop(_loop)
    before = asyncio.all_tasks(_loop)
    try:
        return _loop.run_until_complete(_awaited(awaitable))
    finally:
        _cancel(asyncio, asyncio.all_tasks(_loop) - before)


async def _awaited(awaitable):
    return await awaitable


def _cancel(asyncio, tasks):
    """Cancels tasks that a call has left behind."""
    if not tasks:
        return
    for task in tasks:
        task.cancel()
    _loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
