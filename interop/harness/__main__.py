"""Runs the drivers of the clients and prints the table of results."""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

from . import report
from .install import NotInstallable, say
from .world import World

FOLDER = Path(__file__).resolve().parent.parent
ROOT = FOLDER.parent


def load_driver(folder):
    specification = importlib.util.spec_from_file_location(f"driver_{folder.name}", folder / "driver.py")
    driver = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(driver)
    driver.FOLDER = folder
    return driver


def run_client(driver, options, run_folder):
    """Installs one client and runs its checks."""
    result = report.Result(driver)
    began = time.monotonic()
    try:
        result.version = driver.install()
    except NotInstallable as error:
        result.not_run = str(error)
        return result
    result.install_seconds = time.monotonic() - began
    began = time.monotonic()
    world = World(options.binary, run_folder / driver.FOLDER.name, options.ports, driver.FOLDER, getattr(driver, "SCHEME", "https"))
    try:
        with world.check("starts"):
            driver.run(world)
    finally:
        world.stop()
    # The outer check counts only if the driver itself failed.
    result.checks = [check for check in world.checks if check.name != "starts" or not check.passed]
    result.seconds = time.monotonic() - began
    return result


def start_chromedriver(port):
    program = shutil.which("chromedriver")
    if not program:
        raise SystemExit("scripts/interop: there is no chromedriver: on Debian apt-get install chromium chromium-driver")
    return subprocess.Popen([program, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(prog="scripts/interop", description=__doc__)
    parser.add_argument("clients", nargs="*", help="names of folders in interop/clients; left out, all")
    parser.add_argument("--quick", action="store_true", help="only those that install in moments from npm, PyPI and Debian")
    parser.add_argument("--write", action="store_true", help="write the table into docs/guides/interoperability.md")
    parser.add_argument("--keep", action="store_true", help="keep the folder with the logs of every client")
    parser.add_argument("--list", action="store_true", help="list the clients and run none")
    parser.add_argument("--ports", type=int, default=int(os.environ.get("SINETE_INTEROP_PORTS", "17200")),
                        help="the first of fifty ports on the loopback address")
    options = parser.parse_args()
    options.binary = os.environ["SINETE_BINARY"]

    drivers = [load_driver(path.parent) for path in sorted(FOLDER.glob("clients/*/driver.py"))]
    unknown = set(options.clients) - {driver.FOLDER.name for driver in drivers}
    if unknown:
        raise SystemExit(f"scripts/interop: there is no client called {', '.join(sorted(unknown))}")
    names = [driver.NAME for driver in drivers]
    drivers = [driver for driver in drivers
               if (not options.clients or driver.FOLDER.name in options.clients) and (not options.quick or driver.QUICK)]
    if options.list:
        for driver in drivers:
            print(f"{driver.FOLDER.name:30} {driver.NAME} ({driver.SOURCE})")
        return 0

    run_folder = Path(tempfile.mkdtemp(prefix="sinete-interop."))
    run_folder.chmod(0o755)  # Some servers read their pages as another system user.
    chromedriver = start_chromedriver(options.ports + 3)
    results = []
    try:
        for driver in drivers:
            result = run_client(driver, options, run_folder)
            results.append(result)
            say(result.line())
    finally:
        chromedriver.terminate()
        chromedriver.wait()
        if options.keep:
            say(f"Logs are in {run_folder}")
        else:
            shutil.rmtree(run_folder, ignore_errors=True)

    print(report.console(results))
    if options.write:
        version = subprocess.run([options.binary, "--version"], capture_output=True, text=True).stdout.strip()
        report.write(ROOT / "docs" / "guides" / "interoperability.md", results, names, version, datetime.now(timezone.utc).date())
    unexpected = [f"{result.name}: {check.name}" for result in results for check in result.unexpected()]
    for line in unexpected:
        say(f"unexpected: {line}")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
