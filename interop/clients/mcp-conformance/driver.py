"""The conformance tests of the Model Context Protocol for authorization servers, with a user in the browser."""

import json
import re
import time

from harness import install as get
from harness.world import CheckFailed, expect

NAME, SOURCE, QUICK = "MCP conformance, authorization server", "npm", True
RECIPE = "mcp.md"
# The tests need a newer Node.js than Debian's; npm has it as a package.
PACKAGES = {"@modelcontextprotocol/conformance": "0.2.0-alpha.12", "node": "22.23.3"}
WAIT_SECONDS = 60


def install():
    get.npm("mcp-conformance", PACKAGES)
    return PACKAGES["@modelcontextprotocol/conformance"]


def run(world):
    world.start_sinete()
    for version in ("2025-11-25", "2026-07-28"):
        world.new_browser()
        with world.check(f"metadata and authorization code grant of {version}"):
            found = run_scenarios(world, version)
            wrong = [f"{check['id']}: {check.get('errorMessage')}" for check in found if check["status"] not in ("SUCCESS", "WARNING")]
            expect(len(found) >= 2 and not wrong, "\n".join(wrong) or f"only {len(found)} checks ran")
            warned.extend(check for check in found if check["status"] == "WARNING")
    with world.check("metadata names Client ID Metadata Documents"):
        expect(not warned, "\n".join(check["errorMessage"] for check in warned))


warned = []


def run_scenarios(world, version):
    """Runs the tests, opens the URL that they print in the browser, and returns the checks that they wrote."""
    folder = get.npm("mcp-conformance", PACKAGES) / "node_modules"
    results = world.folder / f"results-{version}"
    program = folder / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    command = [folder / "node" / "bin" / "node", program, "authorization", "--url", world.issuer, "--client-id", "conformance",
               "--resource", world.api, "--port", world.port(2), "--spec-version", version, "--output-dir", results]
    process = world.start("conformance", command)
    path, opened = world.folder / "conformance.log", False
    deadline = time.monotonic() + WAIT_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        address = re.search(rf"^{re.escape(world.issuer)}/connect/authorize\?\S+", path.read_text(errors="replace"), re.MULTILINE)
        if address and not opened:
            opened = True
            world.browser.open(address[0])
            world.browser.sign_in()
        time.sleep(0.1)
    world.stop_process("conformance")
    found = [check for file in sorted(results.rglob("*.json")) for check in read_checks(file)]
    if not found:
        raise CheckFailed(f"no results:\n{world.log('conformance')}")
    return found


def read_checks(file):
    value = json.loads(file.read_text())
    checks = value if isinstance(value, list) else value.get("checks", [])
    return [check for check in checks if isinstance(check, dict) and "status" in check and "id" in check and check["status"] != "INFO"]

