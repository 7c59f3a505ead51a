"""The environment of a driver: a fresh instance with an organization, an API and a user, a browser, and the checks."""

import base64
import hashlib
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import time
import traceback
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from .browser import Browser
from .install import CACHE
from .recorder import Recorder, redact

EMAIL, PASSWORD, NAME = "ana@example.com", "a kettle sings at dawn", "Ana Reis"
READY_SECONDS = 90
# A name with a dot for this machine, as client metadata documents need one. Only Sinete resolves it.
DOCUMENT_HOST = "documents.interop.example"
LOG_LINES_SHOWN = 12
# For clients that read the ID token and not userinfo.
CLAIMS_LINE = "include_claims_in_id_token = true"


class CheckFailed(Exception):
    """A client did not behave as expected."""


class Check:
    """The result of one check. `known` is the reason if it is expected to fail; `cure` is the setting that makes it pass."""

    def __init__(self, name, known=None, cure=None):
        self.name, self.known, self.cure = name, known, cure
        self.reason, self.exchange = None, None

    @property
    def passed(self):
        return self.reason is None


class World:
    """The environment of one client. It stops the processes that it started."""

    def __init__(self, binary, folder, first_port, client_folder, scheme="https"):
        self.binary, self.folder, self.client_folder = Path(binary), Path(folder), client_folder
        self.scheme, self.first_port = scheme, first_port
        self.issuer = f"{scheme}://localhost:{first_port}"
        self.app_port = first_port + 10
        self.app = f"http://localhost:{self.app_port}"
        self.api = "https://invoices.example"
        self.secret = self.second_secret = self.third_secret = ""
        self.lines = []
        self.checks, self._processes, self._browser = [], [], None
        self.folder.mkdir(parents=True, exist_ok=True)
        self._environment = {
            "SINETE_BASE_URL": self.issuer,
            "SINETE_LISTEN": f"127.0.0.1:{first_port + 1}",
            "SINETE_ADMIN_LISTEN": f"127.0.0.1:{first_port + 2}",
            "SINETE_DATA_DIR": str(self.folder / "sinete-data"),
        }
        self.ca = self.folder / "ca.pem"
        self._recorder = None

    # Sinete itself.

    def start_sinete(self, documents=("sinete.toml",), settings=None):
        """Starts a fresh instance with the documents of the harness and of the client, and a user who is a clerk of the shop."""
        self._environment |= settings or {}
        self._make_certificates()
        self.secret, self.second_secret, self.third_secret = (self._new_secret(name) for name in ("client", "second", "third"))
        self._documents = documents
        self._apply(Path(__file__).with_name("sinete.toml"))
        for name in documents:
            self._apply(self.client_folder / name)
        certificate = (self.folder / "server.pem", self.folder / "server.key") if self.scheme == "https" else (None, None)
        self._recorder = Recorder(self.first_port, self.first_port + 1, *certificate)
        self._serve()
        self._import_user()

    def restart_sinete(self, settings):
        """Restarts the instance with more settings."""
        self._environment |= settings
        self.stop_process("sinete")
        self._serve()

    def _serve(self):
        self.start("sinete", self._serve_command(), ready=f"http://127.0.0.1:{self.first_port + 1}/healthz")

    def _serve_command(self):
        """Sinete, with a hosts file of its own that names this machine, where this user may make one."""
        if os.geteuid() != 0:
            return [self.binary, "serve"]
        hosts = self.write("hosts", Path("/etc/hosts").read_text() + f"\n127.0.0.1 {DOCUMENT_HOST}\n")
        script = 'mount --bind "$1" /etc/hosts && exec "$2" serve'
        return ["unshare", "--mount", "sh", "-c", script, "sh", hosts, self.binary]

    def _new_secret(self, name):
        secret = self.sinete("admin", "client-secret").strip()
        self.write(f"{name}.secret", secret, mode=0o600)
        return secret

    def _apply(self, source):
        path = self.write(f"apply-{source.parent.name}-{source.name}", self.fill(source.read_text()))
        self.sinete("apply", "-f", str(path), "--yes")

    def add_line(self, line):
        """Adds a line to the client's registration, in place of @LINES@ in its document."""
        self.lines.append(line)
        for name in self._documents:
            self._apply(self.client_folder / name)

    def sinete(self, *arguments):
        """Runs a command of Sinete on this instance."""
        environment = self._clean_environment() | self._environment
        done = subprocess.run([self.binary, *arguments], env=environment, cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            raise CheckFailed(f"sinete {' '.join(arguments[:2])}: {done.stderr.strip()} {done.stdout.strip()}")
        return done.stdout

    def _import_user(self):
        salt = os.urandom(16)
        encode = lambda value: base64.b64encode(value).decode().rstrip("=").replace("+", ".")
        digest = hashlib.pbkdf2_hmac("sha256", PASSWORD.encode(), salt, 20000)
        user = {
            "email": EMAIL, "email_verified": True, "name": NAME,
            "password_hash": f"$pbkdf2-sha256$20000${encode(salt)}${encode(digest)}",
        }
        path = self.write("people.jsonl", json.dumps(user))
        self.sinete("import", str(path), "--source", "interop", "--organization", "shop", "--role", "clerk", "--trust-addresses")

    def _make_certificates(self):
        """Creates a certificate authority and a certificate for localhost, for clients that require TLS."""
        openssl = lambda *arguments: subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
                "-subj", "/CN=Sinete interop")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
        self.write("server.ext", f"subjectAltName=DNS:localhost,DNS:{DOCUMENT_HOST},IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
        openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-out", "server.pem", "-days", "2", "-extfile", "server.ext")
        system = Path("/etc/ssl/certs/ca-certificates.crt")
        bundle = system.read_text() if system.exists() else ""
        self.write("ca-bundle.pem", self.ca.read_text() + bundle)

    # Files and processes.

    def fill(self, text, **more):
        """Replaces placeholders like @NAME@ with the values of this run."""
        values = {
            "ISSUER": self.issuer, "APP": self.app, "APP_PORT": self.app_port, "SECRET": self.secret,
            "SECOND_SECRET": self.second_secret, "THIRD_SECRET": self.third_secret, "CA": self.ca, "CA_BUNDLE": self.folder / "ca-bundle.pem", "API": self.api, "FOLDER": self.folder, "EMAIL": EMAIL,
            "LINES": "\n".join(self.lines),
            **{f"PORT_{number}": self.first_port + 10 + number for number in range(1, 10)}, **more,
        }
        def value(found):
            if found[1] not in values:
                raise CheckFailed(f"no value for @{found[1]}@")
            return str(values[found[1]])
        return re.sub(r"@([A-Z_0-9]+)@", value, text)

    def write(self, name, text, mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def configure(self, name, to=None, **more):
        """Copies a file of the client's folder to the run's folder and replaces the placeholders."""
        return self.write(to or name, self.fill((self.client_folder / name).read_text(), **more))

    def port(self, number):
        return self.first_port + 10 + number

    def _clean_environment(self):
        return {name: value for name, value in os.environ.items() if not name.startswith("SINETE_")}

    def trust(self):
        """Environment variables with which clients of every language trust the certificate authority of this run."""
        bundle = str(self.folder / "ca-bundle.pem")
        return {
            "SSL_CERT_FILE": bundle, "REQUESTS_CA_BUNDLE": bundle, "CURL_CA_BUNDLE": bundle,
            "NODE_EXTRA_CA_CERTS": str(self.ca),
        }

    def start(self, name, arguments, environment=None, ready=None, cwd=None, seconds=READY_SECONDS):
        """Starts a program in the background. It is ready when the URL `ready` responds or the port `ready` is open."""
        log = (self.folder / f"{name}.log").open("wb")
        own = self._environment if name == "sinete" else self.trust()
        process = subprocess.Popen(
            [str(argument) for argument in arguments], stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            env=self._clean_environment() | own | (environment or {}), cwd=cwd or self.folder, start_new_session=True)
        self._processes.append(process)
        process.name = name
        deadline = time.monotonic() + seconds
        while ready and not self._answers(ready):
            if process.poll() is not None:
                raise CheckFailed(f"{name} ended with {process.returncode}:\n{self.log(name)}")
            if time.monotonic() > deadline:
                raise CheckFailed(f"{name} was not ready after {seconds} s:\n{self.log(name)}")
            time.sleep(0.1)
        return process

    def _answers(self, ready):
        if isinstance(ready, int):
            with socket.socket() as connection:
                connection.settimeout(1)
                return connection.connect_ex(("127.0.0.1", ready)) == 0
        try:
            urllib.request.urlopen(ready, timeout=5, context=ssl._create_unverified_context()).close()
            return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False

    def log(self, name, lines=LOG_LINES_SHOWN):
        path = self.folder / f"{name}.log"
        return "\n".join(redact(path.read_text(errors="replace")).splitlines()[-lines:]) if path.exists() else ""

    def run(self, arguments, environment=None, cwd=None, seconds=120, text=None):
        """Runs a client and returns its output; a failure contains the output."""
        done = subprocess.run(
            [str(argument) for argument in arguments], capture_output=True, text=True, timeout=seconds, input=text,
            env=self._clean_environment() | self.trust() | (environment or {}), cwd=cwd or self.folder)
        if done.returncode:
            said = redact((done.stdout + done.stderr).strip())
            raise CheckFailed(f"{Path(str(arguments[0])).name} ended with {done.returncode}:\n" + "\n".join(said.splitlines()[-LOG_LINES_SHOWN:]))
        return done.stdout

    def get(self, url, headers=None, data=None, method=None):
        """Sends a request; returns the status, the headers and the body as text."""
        request = urllib.request.Request(url, data, headers or {}, method=method)
        context = ssl._create_unverified_context()
        try:
            with urllib.request.urlopen(request, timeout=30, context=context) as answer:
                return answer.status, dict(answer.headers), answer.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as error:
            return error.code, dict(error.headers), error.read().decode("utf-8", "replace")

    # The browser and the recorded exchanges.

    @property
    def browser(self):
        if not self._browser:
            self._browser = Browser(self.first_port + 3, self.issuer, EMAIL, PASSWORD)
        return self._browser

    def new_browser(self):
        """A new browser without the cookies of the previous one."""
        if self._browser:
            self._browser.close()
            self._browser = None
        return self.browser

    @property
    def wire(self):
        return self._recorder

    # Checks.

    @contextmanager
    def check(self, name, known=None, cure=None):
        """Runs one check. A failure stores the exchange with Sinete that shows it."""
        check = Check(name, known, cure)
        position = self._recorder.position() if self._recorder else 0
        try:
            yield check
        except Exception as error:  # Every error of a client is a result.
            place = "" if isinstance(error, CheckFailed) else f"{type(error).__name__}: "
            if os.environ.get("INTEROP_TRACE"):
                traceback.print_exc()
            check.reason = self._readable(f"{place}{error}".strip()) or type(error).__name__
            check.exchange = check.exchange or self._telling(position)
        self.checks.append(check)

    def _readable(self, text):
        """Removes secrets and the folders of this machine."""
        for folder, name in ((self.folder, "FOLDER"), (self.client_folder, "CLIENT"), (CACHE, "CACHE"), (Path.home(), "HOME")):
            text = text.replace(str(folder), name)
        return redact(text)

    def check_with_line(self, name, attempt, line):
        """Runs a check; if it fails, runs it again with one more line in the client's registration."""
        with self.check(name, cure=line) as check:
            attempt()
        if not check.passed:
            self.add_line(line)
            self.new_browser()
            with self.check(f"{name}, with `{line}`") as check:
                attempt()
        return check.passed

    def _telling(self, position):
        """The exchange that shows a failure best: the first error response, else the last token response."""
        if not self._recorder:
            return None
        seen = [one for one in self._recorder.since(position) if one.is_protocol and one.status]
        refused = [one for one in seen if one.is_error]
        given = [one for one in seen if one.path.startswith(("/connect/token", "/connect/userinfo", "/connect/introspect", "/scim", "/connect/register"))]
        chosen = refused[:1] or given[-1:]
        return chosen[0].render() if chosen else None

    def stop_process(self, name):
        for process in self._processes:
            if process.name == name:
                _end(process)

    def stop(self):
        if self._browser:
            self._browser.close()
        for process in reversed(self._processes):
            _end(process)
        if self._recorder:
            self._recorder.stop()


def _end(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def expect(condition, reason):
    """Fails the check unless the condition holds."""
    if not condition:
        raise CheckFailed(reason)


def expect_in(wanted, text, where):
    if wanted not in text:
        raise CheckFailed(f"{where} does not say {wanted!r}: {redact(text.strip())[:600]}")


def decode_jwt(token):
    """The claims of a JWT, not verified: to inspect what a client received."""
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
