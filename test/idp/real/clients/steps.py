"""The steps of a client: tools to call, and the word `expire`. Each call prints one line of JSON."""

import json
import sys


async def perform(client, expire):
    """Calls the tools of the command line one after the other."""
    for step in sys.argv[2:]:
        if step == "expire":
            expire()
            continue
        result = await client.call_tool(step, {})
        print(json.dumps("".join(part.text for part in result.content)), flush=True)


def causes(error):
    """The texts of an error, of the errors in its group, and of their causes."""
    inner = list(getattr(error, "exceptions", ())) + [error.__cause__]
    return [f"{type(error).__name__}: {error}"] + [text for one in inner if one for text in causes(one)]
