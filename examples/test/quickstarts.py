"""Runs the commands of each quickstart's README on a fresh instance, and signs in with a browser.

Started by ./scripts/quickstarts. The commands are those of the pages, in their order; only the ports differ. A block that
is marked `sh server` keeps running. The browser is the one of interop/harness.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from harness.browser import Browser

ROOT = Path(__file__).parents[2]
EMAIL, PASSWORD, NAME = "ana@example.com", "a kettle sings at dawn", "Ana Reis"
SIGNED_IN = f"Signed in as {NAME} ({EMAIL})"
CODE_LINES_MAX = 79
START_SECONDS = 240
# The text that a quickstart shows after sign-in, the path of its callback, and whether it has a logout link.
QUICKSTARTS = {
    "nextjs": {"callback": "/api/auth/callback/sinete", "signs_out": True},
    "express": {"callback": "/callback", "signs_out": True},
    "react": {"callback": "/", "shows": "2026-001", "signs_out": True},
    "fastapi": {"callback": "/callback", "signs_out": True},
    "django": {"callback": "/callback", "signs_out": True},
    "go": {"callback": "/callback"},
    "spring": {"callback": "/login/oauth2/code/sinete", "signs_out": True},
    "axum": {"callback": "/callback"},
    "cli": {},
}
# Boilerplate of every project of this kind, not counted as code of the quickstart.
NO_CODE = {"README.md", "sinete.toml", "package.json", "requirements.txt", "go.mod", "go.sum", "pom.xml", "Cargo.toml", "Cargo.lock", "index.html", "rustfmt.toml", "quickstart.csproj"}


class QuickstartFailed(Exception):
    """A quickstart does not behave as its page says."""


class Quickstart:
    """One quickstart in a folder that looks like a fresh clone. It stops the processes that it started."""

    def __init__(self, name, first_port, folder):
        self.name, self.folder, self.settings = name, folder, QUICKSTARTS[name]
        self.ports = {"8080": first_port, "9090": first_port + 1, "3000": first_port + 2, "3001": first_port + 3}
        self.issuer, self.app = f"http://localhost:{first_port}", f"http://localhost:{first_port + 2}"
        self.driver_port = first_port + 4
        self.processes = []

    def copy(self):
        """Copies the files that the commands need, with the ports of this run."""
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", f"examples/{self.name}", "clients/javascript"],
            cwd=ROOT, capture_output=True, text=True, check=True)
        for path in listed.stdout.splitlines():
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            text = (ROOT / path).read_text()
            target.write_text(self.replace_ports(text) if path.startswith("examples/") else text)

    def replace_ports(self, text):
        return re.sub(r"\b(8080|9090|3000|3001)\b", lambda found: str(self.ports[found[1]]), text)

    def count_code(self):
        """The lines of the quickstart's own code, without comments and blank lines."""
        count = 0
        for path in sorted((self.folder / "examples" / self.name).rglob("*")):
            if path.is_file() and path.name not in NO_CODE:
                lines = (line.strip() for line in path.read_text().splitlines())
                count += sum(1 for line in lines if line and not line.startswith(("//", "#", "/*", "*", '"""')))
        if not 0 < count <= CODE_LINES_MAX:
            raise QuickstartFailed(f"{count} lines of code: more than {CODE_LINES_MAX}")
        return count

    def run_page(self):
        """Runs the commands of the page, in their order."""
        page = (self.folder / "examples" / self.name / "README.md").read_text()
        blocks = re.findall(r"^ *```(sh(?: server)?)\n(.*?)^ *```$", page, re.MULTILINE | re.DOTALL)
        if len(blocks) < 4:
            raise QuickstartFailed("the page has fewer than four commands")
        for number, (kind, text) in enumerate(blocks):
            commands = "\n".join(line.strip() for line in text.splitlines())
            if kind == "sh":
                self.run(commands)
            else:
                self.start(f"server-{number}", commands)
                if number == 0:
                    self.wait_for(f"{self.issuer}/healthz", f"server-{number}")
                    self.create_account()

    def environment(self):
        return {name: value for name, value in os.environ.items() if not name.startswith("SINETE_")} | {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "SINETE_LISTEN": f"127.0.0.1:{self.ports['8080']}",
            "SINETE_ADMIN_LISTEN": f"127.0.0.1:{self.ports['9090']}",
            "SINETE_BASE_URL": self.issuer,
            "NEXT_TELEMETRY_DISABLED": "1",
        }

    def run(self, commands):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands], cwd=self.folder, env=self.environment(), capture_output=True, text=True, timeout=1200)
        if done.returncode:
            raise QuickstartFailed(f"{commands}\n{(done.stdout + done.stderr)[-1500:]}")

    def start(self, name, commands):
        log = (self.folder / f"{name}.log").open("wb")
        process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", commands], cwd=self.folder, env=self.environment(), stdout=log, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, start_new_session=True)
        self.processes.append((name, process))

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def wait_for(self, url, name):
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                return urllib.request.urlopen(url, timeout=60).close()
            except urllib.error.HTTPError:
                return None
            except OSError:
                pass
            ended = [one for one, process in self.processes if process.poll() is not None]
            if ended or time.monotonic() > deadline:
                raise QuickstartFailed(f"{url} does not answer:\n{self.log(ended[0] if ended else name)[-1500:]}")
            time.sleep(0.2)

    def create_account(self):
        """Creates the account of the first operator, like the page behind the printed link."""
        self.wait_until(lambda: "token=" in self.log("server-0"), "the link")
        token = re.search(r"token=(\S+)", self.log("server-0"))[1]
        flow = self.post(f"{self.issuer}/flows", {"kind": "first_operator", "session": "token", "token": token})
        details = {"email": EMAIL, "name": NAME, "password": PASSWORD}
        done = self.post(flow["actions"][0]["href"], details, f"Flow {flow['flow_token']}")
        if done["stage"] != "signed_in":
            raise QuickstartFailed(f"no account: {done}")

    def post(self, url, body, authorization=None):
        headers = {"content-type": "application/json"} | ({"authorization": authorization} if authorization else {})
        with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=30) as answer:
            return json.load(answer)

    def wait_until(self, condition, what, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise QuickstartFailed(f"waited {seconds} s for {what}")
            time.sleep(0.1)

    def sign_in(self):
        """Signs in with the browser, and out again where the quickstart has a link for it."""
        driver = subprocess.Popen(["chromedriver", f"--port={self.driver_port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.processes.append(("chromedriver", driver))
        self.wait_for(f"http://127.0.0.1:{self.driver_port}/status", "server-0")
        browser = Browser(self.driver_port, self.issuer, EMAIL, PASSWORD)
        try:
            if self.name == "cli":
                self.sign_in_to_cli(browser)
            else:
                self.sign_in_to_web(browser)
        finally:
            browser.close()

    def sign_in_to_web(self, browser):
        self.wait_for(self.app, self.processes[-1][0])
        # A callback with an unknown code and state signs no user in.
        browser.open(f"{self.app}{self.settings['callback']}?code=x&state=x&iss={self.issuer}")
        browser.open(self.app)
        browser.click_text("Sign in")
        browser.wait_until(lambda: browser.url().startswith(f"{self.issuer}/"), "the sign-in page")
        browser.sign_in(90)
        shown = self.settings.get("shows", SIGNED_IN)
        browser.wait_until(lambda: shown in browser.text(), shown, 90)
        if not self.settings.get("signs_out"):
            return
        browser.click_text("Sign out")
        if self.name == "spring":
            browser.click_text("Log Out", "button")
        browser.wait_until(lambda: self.leave(browser) and browser.url().startswith(self.app) and "Signed in" not in browser.text(), "the way back")
        browser.open(self.app)
        browser.wait_until(lambda: browser.text().strip() == "Sign in", "the page of a user who is not signed in")

    def leave(self, browser):
        """Confirms the sign-out where Sinete asks for it."""
        if browser.url().startswith(f"{self.issuer}/") and browser.find("form button"):
            browser.click("form button")
        return True

    def sign_in_to_cli(self, browser):
        name = self.processes[-2][0]
        self.wait_until(lambda: "user_code=" in self.log(name), "the code")
        browser.open(re.search(r"or open (\S+)", self.log(name))[1])
        deadline = time.monotonic() + 60
        while SIGNED_IN not in self.log(name):
            if time.monotonic() > deadline:
                raise QuickstartFailed(f"{self.log(name)}\n{browser.url()}\n{browser.text()[:600]}")
            if browser.find("#sign-in-submit"):
                browser.type("#identifier", EMAIL)
                browser.type("#password", PASSWORD)
                browser.click("#sign-in-submit")
            else:
                for selector in ("#passkey-skip", "#consent-allow", "#code-submit"):
                    if browser.find(selector):
                        browser.click(selector)
                        break
            time.sleep(0.5)

    def stop(self):
        for _, process in reversed(self.processes):
            try:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(10)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()


def try_out(name, first_port, keep):
    """Runs one quickstart; returns the reason if it failed, else None."""
    folder = Path(tempfile.mkdtemp(prefix=f"quickstart-{name}-"))
    quickstart = Quickstart(name, first_port, folder)
    begun = time.monotonic()
    try:
        (folder / "bin").mkdir()
        (folder / "bin" / "sinete").symlink_to(os.environ["SINETE_BINARY"])
        quickstart.copy()
        lines = quickstart.count_code()
        quickstart.run_page()
        quickstart.sign_in()
        print(f"{name}: a user signed in; {lines} lines of code, {time.monotonic() - begun:.0f} s", flush=True)
        return None
    except Exception as error:  # Every error is the result of this quickstart.
        print(f"{name}: failed: {type(error).__name__}: {error}", flush=True)
        for log, _ in quickstart.processes:
            if (folder / f"{log}.log").exists():
                print(f"--- {log}\n{quickstart.log(log)[-1200:]}", flush=True)
        return str(error)
    finally:
        quickstart.stop()
        if keep:
            print(f"{name}: left behind in {folder}", flush=True)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def main():
    arguments = sys.argv[1:]
    if "--list" in arguments:
        print("\n".join(QUICKSTARTS))
        return 0
    names = [name for name in arguments if not name.startswith("--")] or list(QUICKSTARTS)
    unknown = [name for name in names if name not in QUICKSTARTS]
    if unknown:
        print(f"no such quickstart: {' '.join(unknown)}; there are {' '.join(QUICKSTARTS)}", file=sys.stderr)
        return 2
    first_port = int(os.environ.get("SINETE_QUICKSTART_PORTS", "17300"))
    failed = [name for name in names if try_out(name, first_port, "--keep" in arguments) is not None]
    print(f"{len(names) - len(failed)} of {len(names)} quickstarts work" + (f"; not: {' '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
