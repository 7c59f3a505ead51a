"""A reverse proxy in front of Sinete that records every exchange, so that a failure can be shown with its requests."""

import base64
import http.client
import json
import re
import ssl
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "te", "upgrade", "proxy-connection", "trailer"}
# Pages, images and scripts are not part of the protocol.
PROTOCOL_PATHS = ("/connect/", "/.well-known/", "/scim/", "/openapi.json", "/manage")
SHOWN_HEADERS = ("authorization", "content-type", "location", "www-authenticate", "dpop")
BODY_CHARACTERS_MAX = 1500
SECRET_PARAMETERS = (
    "client_secret|client_assertion|code|code_verifier|access_token|refresh_token|id_token|registration_access_token|"
    "subject_token|token|password|state|nonce|code_challenge|id_token_hint|session_state"
)


def redact(text):
    """Shortens secrets, ids and random values, so that an exchange is readable and can be published."""
    text = re.sub(rf'"({SECRET_PARAMETERS})":\s*"([^"]{{0,6}})[^"]*"', r'"\1":"\2…"', text)
    text = re.sub(rf"(^|[?&])({SECRET_PARAMETERS})=([^&\s]{{0,6}})[^&\s]*", r"\1\2=\3…", text)
    # Ids differ from run to run and mean nothing to a reader.
    text = re.sub(r"\b([0-9a-f]{4})[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", r"\1…", text)
    text = re.sub(r'"(exp|iat|auth_time|client_id_issued_at)":\s*\d+', r'"\1":…', text)
    return re.sub(r"\b(Basic|Bearer|DPoP) (?!realm|error|algs|scope|resource)([A-Za-z0-9._~+/%-]{0,6})[A-Za-z0-9._~+/=%-]*", r"\1 \2…", text)


class Exchange:
    """One request and its response."""

    def __init__(self, method, path, request_headers, request_body):
        self.method, self.path = method, path
        self.request_headers, self.request_body = request_headers, request_body
        self.status, self.response_headers, self.response_body = None, [], b""

    @property
    def is_protocol(self):
        return self.path.startswith(PROTOCOL_PATHS)

    @property
    def is_error(self):
        if not self.is_protocol or self.status is None:
            return False
        location = dict((name.lower(), value) for name, value in self.response_headers).get("location", "")
        return self.status >= 400 or bool(re.search(r"[?&#]error=", location))

    def response_json(self):
        return json.loads(self.response_body)

    def form(self):
        """The parameters of the request, from its body or its query."""
        query = urllib.parse.urlsplit(self.path).query
        body = self.request_body.decode("utf-8", "replace")
        return dict(urllib.parse.parse_qsl(body or query))

    def render(self):
        """The exchange as text, without secrets."""
        lines = [f"> {self.method} {redact(self.path)}"]
        lines += [f"> {name}: {redact(value)}" for name, value in self.request_headers if name.lower() in SHOWN_HEADERS]
        lines += self._body(">", self.request_body)
        lines.append(f"< {self.status}")
        lines += [f"< {name}: {redact(value)}" for name, value in self.response_headers if name.lower() in SHOWN_HEADERS]
        lines += self._body("<", self.response_body)
        lines += self._id_token()
        return "\n".join(lines)

    def _id_token(self):
        """The claims of the ID token in the response, if there is one."""
        try:
            part = json.loads(self.response_body)["id_token"].split(".")[1]
            claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            return []
        return [f"  the ID token says {redact(json.dumps(claims))}"]

    def _body(self, sign, body):
        text = body.decode("utf-8", "replace").strip()
        if not text or text.startswith("<"):
            return []
        text = redact(text)
        if len(text) > BODY_CHARACTERS_MAX:
            text = text[:BODY_CHARACTERS_MAX] + "…"
        return [f"{sign} {line}" for line in text.splitlines()]


class Recorder:
    """Listens at the issuer's URL and forwards everything to Sinete."""

    def __init__(self, port, upstream_port, certificate=None, key=None):
        self.exchanges = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", port), _handler(self, upstream_port))
        self._server.context = None
        if certificate:
            self._server.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._server.context.load_cert_chain(certificate, key)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def add(self, exchange):
        with self._lock:
            self.exchanges.append(exchange)

    def position(self):
        return len(self.exchanges)

    def since(self, position):
        return list(self.exchanges[position:])

    def last(self, path, since=0):
        """The latest exchange with this path, to inspect what a client sent or received."""
        for exchange in reversed(self.exchanges[since:]):
            if exchange.path.split("?")[0] == path:
                return exchange
        return None

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def finish_request(self, request, client_address):
        # The TLS handshake runs in the connection's own thread, so that a silent client does not block the others.
        if self.context:
            try:
                request = self.context.wrap_socket(request, server_side=True)
            except (ssl.SSLError, OSError):
                return
        self.RequestHandlerClass(request, client_address, self)

    def handle_error(self, request, client_address):
        pass  # A client may close its connection at any time.


def _handler(recorder, upstream_port):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 120

        def log_message(self, *arguments):
            pass

        def _request_body(self):
            if self.headers.get("transfer-encoding", "").lower() != "chunked":
                return self.rfile.read(int(self.headers.get("content-length") or 0))
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def _pass_on(self):
            body = self._request_body()
            exchange = Exchange(self.command, self.path, list(self.headers.items()), body)
            recorder.add(exchange)
            upstream = http.client.HTTPConnection("127.0.0.1", upstream_port, timeout=60)
            upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in HOP_BY_HOP | {"content-length", "accept-encoding"}:
                    upstream.putheader(name, value)
            if body or self.command in ("POST", "PUT", "PATCH"):
                upstream.putheader("Content-Length", str(len(body)))
            upstream.endheaders(body)
            answer = upstream.getresponse()
            exchange.response_body = answer.read()
            exchange.response_headers = answer.getheaders()
            exchange.status = answer.status
            upstream.close()
            self.send_response_only(answer.status, answer.reason)
            for name, value in exchange.response_headers:
                if name.lower() not in HOP_BY_HOP | {"content-length"}:
                    self.send_header(name, value)
            if answer.status not in (204, 304):
                length = answer.getheader("content-length") if self.command == "HEAD" else len(exchange.response_body)
                self.send_header("Content-Length", str(length or 0))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(exchange.response_body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = _pass_on

    return Handler
