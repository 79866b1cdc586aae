from svc.runtime import db

ROWS = [{"id": n, "name": f"item {n}", "price": n / 4} for n in range(1000)]


def hello(name):
    return f"hello {name}"


async def later(name):
    return f"hello {name}"


def query(name):
    return db.execute("SELECT 1", {"n": 1})


def rows(name):
    return ROWS
