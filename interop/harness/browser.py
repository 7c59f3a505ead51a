"""A headless Chromium, driven over the WebDriver protocol by chromedriver."""

import json
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
WAIT_SECONDS = 30


class BrowserError(Exception):
    """The browser does not show what was expected."""


class Browser:
    """A browser with its own profile."""

    def __init__(self, driver_port, issuer, email, password):
        self._driver = f"http://127.0.0.1:{driver_port}"
        self.issuer, self.email, self.password = issuer, email, password
        options = {
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,1600"],
        }
        capabilities = {"alwaysMatch": {"browserName": "chrome", "acceptInsecureCerts": True, "goog:chromeOptions": options}}
        answer = self._call("POST", "/session", {"capabilities": capabilities})
        self._session = f"/session/{answer['sessionId']}"

    def _call(self, method, path, body=None, attempts=4):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self._driver + path, data, {"content-type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            if value["error"] == "unexpected alert open" and attempts:
                self._accept_alert()
                return self._call(method, path, body, attempts - 1)
            raise BrowserError(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def _accept_alert(self):
        try:
            self._call("POST", f"{self._session}/alert/accept", {}, 0)
        except BrowserError:
            pass  # It has ended already.

    def close(self):
        try:
            self._call("DELETE", self._session)
        except (BrowserError, OSError):
            pass

    def open(self, url):
        self._call("POST", f"{self._session}/url", {"url": url})

    def url(self):
        return self._call("GET", f"{self._session}/url")

    def source(self):
        return self._call("GET", f"{self._session}/source")

    def text(self):
        """The visible text of the page."""
        return self.script("return document.body ? document.body.innerText : ''")

    def script(self, source, *arguments):
        return self._call("POST", f"{self._session}/execute/sync", {"script": source, "args": list(arguments)})

    def find(self, selector):
        """The element with this CSS selector, or None."""
        found = self._call("POST", f"{self._session}/elements", {"using": "css selector", "value": selector})
        return found[0][ELEMENT] if found else None

    def wait_for(self, selector, seconds=WAIT_SECONDS):
        return self.wait_until(lambda: self.find(selector), f"an element {selector}", seconds)

    def click(self, selector):
        self._call("POST", f"{self._session}/element/{self.wait_for(selector)}/click", {})

    def click_text(self, text, tags="a,button"):
        """Clicks the link or button with this text."""
        source = """
            const wanted = arguments[0].toLowerCase();
            const found = [...document.querySelectorAll(arguments[1])].find(
                one => (one.innerText || one.value || '').trim().toLowerCase().includes(wanted));
            if (found) found.click();
            return !!found;"""
        self.wait_until(lambda: self.script(source, text, tags), f"a link or button called {text!r}")

    def type(self, selector, text):
        element = self.wait_for(selector)
        self._call("POST", f"{self._session}/element/{element}/clear", {})
        self._call("POST", f"{self._session}/element/{element}/value", {"text": text})

    def cookies(self):
        return {cookie["name"]: cookie for cookie in self._call("GET", f"{self._session}/cookie")}

    def delete_cookie(self, name):
        self._call("DELETE", f"{self._session}/cookie/{name}")

    def wait_until(self, condition, what, seconds=WAIT_SECONDS):
        deadline = time.monotonic() + seconds
        while True:
            try:
                found = condition()
            except BrowserError as error:
                # The page was unloaded meanwhile.
                if "stale" not in str(error) and "no such" not in str(error) and "context" not in str(error):
                    raise
                found = None
            if found:
                return found
            if time.monotonic() > deadline:
                raise BrowserError(f"waited {seconds} s for {what}; the page is {self.url()}\n{self.text()[:600]}")
            time.sleep(0.1)

    def sign_in(self, seconds=WAIT_SECONDS):
        """Completes Sinete's pages as the user, until the browser is redirected to the client."""
        deadline = time.monotonic() + seconds
        consented = False
        while time.monotonic() < deadline:
            url = self.url()
            if not url.startswith(self.issuer + "/"):
                return consented
            try:
                if self.find("#error-page"):
                    raise BrowserError(f"Sinete shows an error page:\n{self.text()[:600]}")
                if self.find("#sign-in-submit"):
                    self.type("#identifier", self.email)
                    self.type("#password", self.password)
                    self._press("#sign-in-submit", url)
                elif self.find("#consent-allow"):
                    consented = True
                    self._press("#consent-allow", url)
                elif self.find("#passkey-skip"):
                    self._press("#passkey-skip", url)
            except BrowserError as error:
                if "stale" not in str(error) and "no such element" not in str(error):
                    raise
            time.sleep(0.15)
        raise BrowserError(f"Sinete's pages lead nowhere; the page is {self.url()}\n{self.text()[:600]}")

    def _press(self, selector, url):
        """Clicks a button of Sinete and waits for the next page."""
        marker = "return document.documentElement.dataset.pressed === 'yes'"
        self.script("document.documentElement.dataset.pressed = 'yes'")
        self.click(selector)
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            try:
                if self.url() != url or not self.script(marker):
                    return
            except BrowserError:
                pass
            time.sleep(0.1)
