"""The table of results, for the terminal and for docs/guides/interoperability.md."""

import re
import textwrap

BEGIN, END = "<!-- written by ./scripts/interop --write -->", "<!-- end -->"


class Result:
    """The results of the checks of one client."""

    def __init__(self, driver):
        self.key = driver.FOLDER.name
        self.name, self.source, self.quick = driver.NAME, driver.SOURCE, driver.QUICK
        self._lines = list(getattr(driver, "LINES", []))
        self.recipe = getattr(driver, "RECIPE", None)
        self.version, self.not_run, self.checks = "", None, []
        self.seconds = self.install_seconds = 0.0

    @property
    def lines(self):
        """The settings that the client needs beyond its own quick start: always, or because a check failed without them."""
        return self._lines + [check.cure for check in self.checks if check.cure and not check.passed]

    def failed(self):
        return [check for check in self.checks if not check.passed and not check.cure]

    def unexpected(self):
        """Checks that failed unexpectedly, and checks that passed although they were expected to fail."""
        return [check for check in self.checks if not check.cure and check.passed == bool(check.known)]

    def verdict(self):
        if self.not_run:
            return "not run"
        if self.failed():
            return "fails"
        return "works with these lines" if self.lines else "works"

    def line(self):
        passed = sum(check.passed or bool(check.cure) for check in self.checks)
        told = f"{passed} of {len(self.checks)} checks, {self.seconds:.0f} s" if not self.not_run else self.not_run
        return f"{self.name} {self.version}: {self.verdict()} ({told})"


def console(results):
    """The table, and below it each failure with its exchange."""
    width = max([len(result.name) for result in results] + [6])
    versions = max([len(result.version) for result in results] + [7])
    lines = [f"{'client':{width}}  {'version':{versions}}  result"]
    for result in results:
        lines.append(f"{result.name:{width}}  {result.version:{versions}}  {result.verdict()}")
        for extra in result.lines:
            lines.append(f"{'':{width}}  {'':{versions}}    {extra}")
        if result.not_run:
            lines.append(f"{'':{width}}  {'':{versions}}    {result.not_run}")
    for result in results:
        for check in [check for check in result.checks if not check.passed]:
            lines += ["", f"{result.name} {result.version}: {check.name}", textwrap.indent(check.reason, "    ")]
            if check.known:
                lines.append(f"    known: {check.known}")
            if check.cure:
                lines.append(f"    works with: {check.cure}")
            if check.exchange:
                lines += ["", textwrap.indent(check.exchange, "    ")]
    return "\n".join(lines)


def _cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def _anchor(result):
    return re.sub(r"[^a-z0-9 _-]", "", result.name.lower()).replace(" ", "-")


HEADING = ["| Client | Version | From | Date | Result |", "|---|---|---|---|---|"]


def row(result, date):
    name = f"[{result.name}](recipes/{result.recipe})" if result.recipe else result.name
    told = result.verdict()
    if result.failed():
        told = f"[fails](#{_anchor(result)}): {', '.join(check.name for check in result.failed())}"
    elif result.lines:
        told = "works with these lines: " + ", ".join(f"`{line}`" for line in result.lines)
    return f"| {name} | {_cell(result.version)} | {_cell(result.source)} | {date} | {_cell(told)} |"


def section(result):
    """The checks of a client, and each failure with its exchange."""
    parts = [f"### {result.name}\n"]
    for check in result.checks:
        told = "works" if check.passed else "fails without the line" if check.cure else "**fails**"
        parts.append(f"- {told}: {check.name}")
    for check in [check for check in result.checks if not check.passed]:
        known = f" {check.known}" if check.known else f" Works with `{check.cure}`." if check.cure else ""
        parts.append(f"\nFails: {check.name}.{known}\n\n```text\n{check.reason}")
        if check.exchange:
            parts.append(f"\n{check.exchange}")
        parts.append("```")
    return "\n".join(parts).rstrip()


def written(body):
    """The rows and sections that the document has, by the name of the client."""
    names = re.compile(r"\| (?:\[([^\]]+)\]|([^|]+?)) ?[(|]")
    rows = [line for line in body.splitlines() if line.startswith("| ") and line not in HEADING]
    sections = re.split(r"^(?=### )", body, flags=re.MULTILINE)[1:]
    return (
        {found[1] or found[2]: line for line in rows if (found := names.match(line))},
        {text.splitlines()[0].removeprefix("### "): text.rstrip() for text in sections},
    )


def write(path, results, names, version, date):
    """Writes the results into the document, between its markers. Clients that did not run keep what is written there."""
    text = path.read_text()
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    rows, sections = written(text.split(BEGIN)[1].split(END)[0])
    for result in results:
        if not result.not_run:
            rows[result.name], sections[result.name] = row(result, date), section(result)
    table = "\n".join(HEADING + [rows[name] for name in names if name in rows])
    details = "\n\n".join(sections[name] for name in names if name in sections)
    body = f"Last run on {date} with {version}, Chromium and clients as released.\n\n{table}\n\n## What was checked\n\n{details}"
    path.write_text(f"{before}{BEGIN}\n\n{body.rstrip()}\n\n{END}{after}")
