"""A service of exchange rates to try the example with: `RATES_KEY=secret python3 rates_server.py`."""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

RATES = {"USD": 1.0842, "GBP": 0.8391, "CHF": 0.9417}


class Rates(BaseHTTPRequestHandler):
    def do_GET(self):
        known = self.headers.get("Authorization") == f"Bearer {os.environ.get('RATES_KEY')}"
        body = json.dumps({"base": "EUR", "rates": RATES} if known else {"error": "a key is needed"})
        self.send_response(200 if known else 401)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", int(sys.argv[1] if len(sys.argv) > 1 else 8123)), Rates)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
