"""Next.js with NextAuth.js 4, the stable release of Auth.js."""

import json
import shutil

from harness import install as get
from harness.world import CLAIMS_LINE, expect

NAME, SOURCE, QUICK = "Next.js with NextAuth.js 4", "npm", False
RECIPE = "auth-js.md"
LINES = ['checks: ["pkce", "state"]']
PACKAGES = {"next-auth": "4.24.15", "next": "16.4.6", "react": "19.2.0", "react-dom": "19.2.0"}


def install():
    get.npm("next-auth", PACKAGES)
    return f"{PACKAGES['next-auth']} (Next.js {PACKAGES['next']})"


def run(world):
    world.start_sinete()
    folder = get.npm("next-auth", PACKAGES)
    for name in ("app", "options.js"):
        source, target = world.client_folder / name, folder / name
        shutil.copytree(source, target, dirs_exist_ok=True) if source.is_dir() else shutil.copy(source, target)
    values = {
        "ISSUER": world.issuer, "CLIENT_SECRET": world.secret, "NEXTAUTH_URL": world.app, "NEXT_TELEMETRY_DISABLED": "1",
        "NEXTAUTH_SECRET": "a-long-random-text-of-your-own",
    }
    next_program = folder / "node_modules" / "next" / "dist" / "bin" / "next"
    world.run(["node", next_program, "build"], values, cwd=folder, seconds=400)
    shown = {}

    command = ["node", next_program, "start", "-H", "127.0.0.1", "-p", world.app_port]
    world.start("app", command, values, ready=world.app, cwd=folder)

    def sign_in():
        world.new_browser().open(f"{world.app}/api/auth/signin")
        world.browser.click_text("Sign in with Sinete")
        world.browser.wait_until(lambda: world.browser.url().startswith(world.issuer), "Sinete's page", 20)
        world.browser.sign_in()
        world.browser.open(world.app)
        shown.update(json.loads(world.browser.text()))
        expect(shown.get("user") is not None, f"the session is {shown}; {world.log('app')}")

    with world.check("a user signs in"):
        sign_in()

    def read_profile():
        sign_in()
        expect(shown["user"].get("email") == "ana@example.com", f"the session is {shown}")

    # It reads only the ID token, not userinfo.
    world.check_with_line("the session has the name and the e-mail address", read_profile, CLAIMS_LINE)
