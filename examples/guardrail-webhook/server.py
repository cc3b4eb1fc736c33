"""A webhook for guards, in Python without a package: python3 server.py"""

import json
import os
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def action_for(phase, messages):
    """What becomes of these texts: an empty action lets them pass."""
    texts = [message["content"] for message in messages]
    if any(re.search(r"\bblock\b", text) for text in texts):
        body = "The request was blocked by the guardrail webhook"
        return {"body": body, "status_code": 403, "reason": "block"}
    if phase == "request" or not any(re.search(r"\bmask\b", text) for text in texts):
        return {}
    # All texts are returned, in their order and with their roles.
    choices = [
        {"message": {"role": one["role"], "content": re.sub(r"\bmask\b", "****", one["content"])}}
        for one in messages
    ]
    return {"body": {"choices": choices}, "reason": "mask"}


class Webhook(BaseHTTPRequestHandler):
    # Keeps connections open between requests.
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("content-length", 0)))
        phase = self.path.removeprefix("/")
        if phase not in ("request", "response"):
            self.answer(404, b"")
            return
        try:
            asked = json.loads(text)["body"]
            messages = asked["messages"] if phase == "request" else [one["message"] for one in asked["choices"]]
            action = action_for(phase, messages)
        except (ValueError, KeyError, TypeError):
            self.answer(400, b"")
            return
        print(f"{phase}: {action.get('reason', 'pass')}", flush=True)
        self.answer(200, json.dumps({"action": action}).encode())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Webhook)
print(f"listening on 127.0.0.1:{server.server_port}", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
