from shapes.sides import SIDES
from svc.runtime import on_init

COUNT = []


@on_init
def count():
    COUNT.append(1)


def area():
    return [SIDES * SIDES, len(COUNT)]
