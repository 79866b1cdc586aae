"""What functions do, good and bad."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from svc.runtime import DatabaseError, UserError, audit, config, db, mcp, on_init, on_shutdown, user

STARTED = []
LEFT = []
EXECUTOR = ThreadPoolExecutor(2)


@on_init
def begin():
    STARTED.append((os.getpid(), user.id, bool(user)))


@on_init
async def begin_too():
    await asyncio.sleep(0)
    STARTED.append("async")


@on_shutdown
def end():
    print("shut down")


def hello(name="you"):
    return f"hello {name}"


async def later(name):
    await asyncio.sleep(0.001)
    return f"later {name}"


async def gathered():
    async def one(n):
        await asyncio.sleep(0.001)
        return db.execute("SELECT n", {"n": n})[0]["n"]

    return await asyncio.gather(*[one(n) for n in range(5)])


def started():
    return STARTED


def process():
    return os.getpid()


def who():
    return {"id": user.id, "token": user.external_token, "groups": user.groups, "known": bool(user)}


def who_in_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(user.id))
    thread.start()
    thread.join()
    return [*found, *EXECUTOR.map(lambda _: user.id, range(2))]


def query(sql, params=None):
    return db.execute(sql, params)


def queries_at_once():
    return sorted(EXECUTOR.map(lambda n: db.execute("SELECT n", {"n": n})[0]["n"], range(10)))


def query_failing():
    try:
        db.execute("FAIL")
    except DatabaseError as error:
        return {"text": str(error), "code": error.code}


def query_failing_badly():
    return db.execute("FAIL")


def secret(name):
    return config.get_secret(name)


def settings():
    return [config.get_setting("sql_tools.enabled"), config.get_setting("no.such", 7), config.site_config["project"], config.user_config]


def changes_settings():
    config.site_config["project"] = "changed"
    config.get_setting("sql_tools")["enabled"] = False
    config.user_config.clear()
    return settings()


async def tell():
    mcp.debug("one")
    await mcp.info("two")
    mcp.warning("three")
    mcp.error("four")
    mcp.progress(1, 4, "a quarter")
    await mcp.progress(2)
    with audit.event(target="api.example.com", operation="GET /rates") as event:
        event.summary = "3 rates"
    try:
        with audit.event("external", target="api.example.com"):
            raise KeyError("rates")
    except KeyError:
        pass
    return "told"


def raises(text):
    def inner():
        raise ValueError(text)

    inner()


def refuses(text):
    raise UserError(text)


def leaves():
    sys.exit(3)


def dies():
    os._exit(3)


def loops():
    while True:
        pass


def sleeps(seconds):
    time.sleep(seconds)
    return "awake"


def prints(lines=1):
    for number in range(lines):
        print(f"line {number}")
    os.write(1, b"raw\n")
    print("to stderr", file=sys.stderr)
    return sys.stdin.read()


def prints_elsewhere():
    subprocess.run([sys.executable, "-c", "print('from a program')"], check=True)
    return sys.stdin.read()


def leaves_a_thread():
    def ask():
        time.sleep(0.05)
        try:
            LEFT.append(db.execute("SELECT n", {"n": 1}))
        except Exception as error:
            LEFT.append(type(error).__name__)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    LEFT.append(thread)
    return "left"


def what_was_left():
    LEFT.pop(0).join()
    return LEFT


async def leaves_a_task():
    async def ask():
        await asyncio.sleep(60)

    LEFT.append(asyncio.get_running_loop().create_task(ask()))
    return "left"


def the_task():
    return LEFT[0].cancelled()


def forks():
    if os.fork() == 0:
        return "the child"
    os.wait()
    return "the parent"


not_callable = 3


def leaks():
    secret = config.get_secret("rates")
    key = secret["key"]
    print("the key of", secret["host"], "is", key)
    raise RuntimeError(f"https://example.com/?key={key}")


def leaks_late(before):
    raise UserError("x" * before + config.get_secret("rates")["key"])


def leaves_lines_open(text):
    print(text, end="")
    print(text, end="", file=sys.stderr)


async def naps(seconds):
    await asyncio.sleep(seconds)
    return "awake"


async def leaves_later():
    await asyncio.sleep(0)
    sys.exit(3)


async def aside(name):
    return await asyncio.to_thread(hello, name)


def tells_halves(text):
    mcp.info(text)
    mcp.progress(1, None, text)
    audit.add(target=text, details={text: [text]})
    raise UserError(text)


def tells_nothing():
    mcp.progress(float("nan"))
    return user.id
