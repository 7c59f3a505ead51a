"""Measures the first run: seconds, commands and clicks from the program to the first end user of an application.

Started by ./scripts/measure-first-run. A browser does what a new operator and a new user do. It types and clicks without
thinking, so the seconds are those of the program and its pages. Opening a link counts as a click.
"""

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

from harness.browser import Browser

CALLBACK = "http://localhost:3000/callback"
PASSWORD = "a kettle sings at dawn"


class FirstRun:
    """One run on a fresh instance. It stops the processes that it started."""

    def __init__(self, program, first_port, folder):
        self.program, self.folder = program, Path(folder)
        self.issuer, self.driver_port = f"http://localhost:{first_port}", first_port + 2
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("SINETE_")} | {
            "SINETE_LISTEN": f"127.0.0.1:{first_port}", "SINETE_ADMIN_LISTEN": f"127.0.0.1:{first_port + 1}",
            "SINETE_BASE_URL": self.issuer}
        self.commands = self.clicks = 0
        self.processes, self.began = [], 0.0

    def mark(self, what):
        print(f"{what}: {time.monotonic() - self.began:.1f} s, {self.commands} commands, {self.clicks} clicks")

    def browser(self, email):
        return Browser(self.driver_port, self.issuer, email, PASSWORD)

    def click(self, browser, selector):
        self.clicks += 1
        browser.click(selector)

    def open(self, browser, url):
        self.clicks += 1
        browser.open(url)

    def sign_up(self, browser, name):
        browser.type("#name", name)
        browser.type("#identifier", browser.email)
        browser.type("#password", PASSWORD)
        self.click(browser, "#sign-up-submit")

    def start(self):
        driver = subprocess.Popen(["chromedriver", f"--port={self.driver_port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.processes.append(driver)
        self.operator = self.wait_until(lambda: self.browser("ana@example.com"), "the browser")
        self.began = time.monotonic()
        self.commands += 1
        log = (self.folder / "log").open("wb")
        self.processes.append(subprocess.Popen([self.program], cwd=self.folder, env=self.environment, stdout=log, stderr=log))
        link = self.wait_until(lambda: re.search(r"http://\S+accept-invitation\S+", (self.folder / "log").read_text()), "the link")
        self.mark("ready")
        return link[0]

    def create_operator(self, link):
        self.open(self.operator, link)
        self.sign_up(self.operator, "Ana")
        self.click(self.operator, "#passkey-skip")
        self.operator.wait_for("#steps")
        self.mark("operator")

    def register_application(self):
        self.operator.wait_for("#first-application-now")
        self.operator.script("document.querySelector(\"[name='type']\").value = 'spa'")
        self.operator.type("[name='metadata/client_name']", "Shop")
        self.operator.type("[name='metadata/redirect_uris']", CALLBACK)
        self.click(self.operator, "#first-application-now")
        page = r"/instance/applications/([0-9a-f-]{36})"
        self.client = self.wait_until(lambda: re.search(page, self.operator.url()), "the application")[1]
        self.mark("first application")

    def create_user(self):
        user = self.browser("bia@example.com")
        challenge = base64.urlsafe_b64encode(hashlib.sha256(b"v" * 43).digest()).rstrip(b"=").decode()
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": self.client, "prompt": "create", "redirect_uri": CALLBACK, "scope": "openid email", "state": "s",
            "code_challenge": challenge, "code_challenge_method": "S256"})
        self.open(user, f"{self.issuer}/connect/authorize?{query}")
        self.sign_up(user, "Bia")
        user.wait_for("#code")
        user.type("#code", self.wait_until(self.emailed_code, "the code"))
        self.click(user, "#code-submit")
        user.wait_until(lambda: user.url().startswith(CALLBACK) and "code=" in user.url(), "the application")
        self.mark("first end user")
        user.close()

    def emailed_code(self):
        with urllib.request.urlopen(f"{self.issuer}/dev/mail", timeout=10) as answer:
            found = [re.search(r"^\d{8}$", mail["text"], re.MULTILINE) for mail in json.load(answer)["items"]]
        return next((code[0] for code in found if code), None)

    def wait_until(self, condition, what, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                found = condition()
            except OSError:
                found = None
            if found:
                return found
            time.sleep(0.05)
        raise TimeoutError(f"waited {seconds} s for {what}")

    def stop(self):
        self.operator.close()
        for process in reversed(self.processes):
            process.terminate()
            process.wait()


def main():
    with tempfile.TemporaryDirectory() as folder:
        run = FirstRun(sys.argv[1], int(os.environ.get("SINETE_FIRST_RUN_PORTS", "17400")), folder)
        try:
            link = run.start()
            run.create_operator(link)
            run.register_application()
            run.create_user()
        finally:
            run.stop()


main()
