"""Next.js with NextAuth.js 4, the stable release of Auth.js."""

import json
import shutil

from harness import install as get
from harness.world import expect

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

    def sign_in(**more):
        world.stop_process("app")
        command = ["node", next_program, "start", "-H", "127.0.0.1", "-p", world.app_port]
        world.start("app", command, values | more, ready=world.app, cwd=folder)
        world.new_browser().open(f"{world.app}/api/auth/signin")
        world.browser.click_text("Sign in with Sinete")
        world.browser.wait_until(lambda: world.browser.url().startswith(world.issuer), "Sinete's page", 20)
        world.browser.sign_in()
        world.browser.open(world.app)
        shown.update(json.loads(world.browser.text()))
        expect(shown.get("user") is not None, f"the session is {shown}; {world.log('app')}")

    with world.check("a user signs in"):
        sign_in()
    cure = "authorization: { params: { claims: { id_token: { name: null, email: null } } } }"
    with world.check("the session has the name and the e-mail address", cure=cure) as check:
        expect(shown["user"].get("email") == "ana@example.com", f"the session is {shown}")
    if not check.passed:
        with world.check("the session has the name and the e-mail address, with `claims`"):
            sign_in(CLAIMS='{"id_token":{"name":null,"email":null}}')
            expect(shown["user"].get("email") == "ana@example.com", f"the session is {shown}")
