"""Spring Boot: sign-in with Spring Security, and a resource server in the same application."""

import json

from harness import install as get
from harness.world import expect, expect_in

NAME, SOURCE, QUICK = "Spring Boot, login and resource server", "Maven Central", False
RECIPE = "spring-boot.md"
VERSION = "4.1.1"
LINES = ["JwtValidators.createAtJwtValidator()"]


def install():
    return f"{VERSION} (Spring Security {get.maven_build('spring-boot', FOLDER, 'interop.jar', 'spring-security-core')})"


def run(world):
    world.start_sinete()
    jar = get.CACHE / "maven" / "spring-boot" / "target" / "interop.jar"
    # Java trusts only the certificate authorities in its own trust store.
    store = world.folder / "trust.p12"
    world.run(["keytool", "-importcert", "-noprompt", "-alias", "interop", "-file", world.ca, "-keystore", store, "-storepass", "changeit"])
    values = {"ISSUER": world.issuer, "APP_PORT": str(world.app_port), "SECRET": world.secret, "API": world.api}
    command = ["java", f"-Djavax.net.ssl.trustStore={store}", "-Djavax.net.ssl.trustStorePassword=changeit", "-jar", jar]
    world.start("app", command, values, ready=world.app_port)
    shown = {}
    with world.check("a user signs in, the principal has the name and the e-mail address"):
        world.browser.open(f"{world.app}/me")
        world.browser.sign_in()
        text = world.browser.text()
        expect_in('"claims"', text, "the application")
        shown.update(json.loads(text))
        expect(shown["claims"].get("email") == "ana@example.com", f"the claims are {shown['claims']}")
    with world.check("the resource server takes the access token, and none without a signature of Sinete's"):
        call = lambda token: world.get(f"{world.app}/api/invoices", {"authorization": f"Bearer {token}"})
        status, headers, _ = call(shown["access_token"])
        expect(status == 200, f"the API answers {status}, {headers.get('WWW-Authenticate')}")
        expect(call(shown["access_token"][:-8] + "AAAAAAAA")[0] == 401, "the API takes a token with a wrong signature")
    with world.check("logout ends the session at Sinete and returns"):
        world.browser.open(f"{world.app}/logout")
        world.browser.click_text("Log Out", "button")
        world.browser.wait_until(lambda: world.browser.find("#sign-in-submit") or world.browser.find("#error-page"), "the way back")
        expect(world.browser.find("#sign-in-submit"), world.browser.text()[:400])
