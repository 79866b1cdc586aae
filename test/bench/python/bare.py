"""The least that Python in a child process can be: frames of JSON in, frames of JSON out."""

import json
import struct
import sys

ROWS = [{"id": n, "name": f"item {n}", "price": n / 4} for n in range(1000)]


def read():
    header = sys.stdin.buffer.read(4)
    return json.loads(sys.stdin.buffer.read(struct.unpack(">I", header)[0])) if len(header) == 4 else None


def write(value):
    body = json.dumps(value, ensure_ascii=False).encode()
    sys.stdout.buffer.write(struct.pack(">I", len(body)) + body)
    sys.stdout.buffer.flush()


message = read()
while message is not None:
    if message["name"] == "query":
        write({"ask": "SELECT 1", "params": {"n": 1}})
        write({"value": read()})
    elif message["name"] == "rows":
        write({"value": ROWS})
    else:
        write({"value": f"hello {message['args']['name']}"})
    message = read()
