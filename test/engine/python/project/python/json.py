"""Called like a module of the standard library, which is not to be replaced by it."""

import json as standard


def dumped():
    return [standard.dumps([1]), __name__ != "json"]
