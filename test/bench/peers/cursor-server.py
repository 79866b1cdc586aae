# A server as an engineer writes it on fastmcp and duckdb: one tool over the database named in argv.
# DuckDB's documentation asks for a cursor in each thread.
import sys

import duckdb
from fastmcp import FastMCP

path, port = sys.argv[1:]
database = duckdb.connect(path, read_only=True)
server = FastMCP("bench")


@server.tool
def tool_3(id: int, greeting: str = "Hello") -> dict:
    """The customer with an id"""
    sql = "SELECT id, $1 || ', ' || name AS text FROM customers WHERE id = $2"
    row = database.cursor().execute(sql, [greeting, id]).fetchone()
    return {"id": row[0], "text": row[1]}


server.run(transport="http", host="127.0.0.1", port=int(port), stateless_http=True, json_response=True)
