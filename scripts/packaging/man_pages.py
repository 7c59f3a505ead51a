"""Manual pages, generated from the command and configuration references that the program prints."""

import re
import time

from files import EPOCH

DATE = time.strftime("%Y-%m-%d", time.gmtime(EPOCH))
HEADINGS = {
    "Commands": "COMMANDS",
    "Arguments": "ARGUMENTS",
    "Options": "OPTIONS",
    "Examples": "EXAMPLES",
    "Exit codes": "EXIT STATUS",
}


def escape(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def inline(text: str) -> str:
    """A paragraph of Markdown: code in bold, links as their text."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    parts = text.split("`")
    marked = [f"\\fB{escape(part)}\\fR" if place % 2 else escape(part) for place, part in enumerate(parts)]
    text = "".join(marked)
    return "\\&" + text if text.startswith((".", "'")) else text


def paragraphs(lines: list[str]) -> list[str]:
    text = "\n".join(line.strip() for line in lines)
    return [" ".join(block.split("\n")) for block in re.split(r"\n{2,}", text.strip()) if block]


def title(page: str, section: int, version: str) -> list[str]:
    return [f'.TH "{escape(page.upper())}" {section} "{DATE}" "Sinete {version}" "Sinete"']


def entries(lines: list[str]) -> list[str]:
    """A list of terms, each with its explanation below it or beside it."""
    written: list[str] = []
    below: list[str] = []

    def explain() -> None:
        for place, block in enumerate(paragraphs(below)):
            written.extend([*([".IP"] if place else []), inline(block)])
        below.clear()

    for line in lines:
        depth = len(line) - len(line.lstrip())
        beside = re.fullmatch(r"  (\S+)  +(\S.*)", line)
        if beside and not beside[1].startswith("-"):
            explain()
            written.extend([".TP", f"\\fB{escape(beside[1])}\\fR"])
            below.append(beside[2])
        elif line.strip() and depth <= 6:
            explain()
            written.extend([".TP", f"\\fB{escape(line.strip())}\\fR"])
        elif line.strip().startswith("- "):
            below.extend(["", line.strip()[2:]])
        else:
            below.append(line)
    explain()
    return written


def command_page(name: str, text: str, others: list[str], version: str) -> str:
    before, _, after = text.partition("Usage: ")
    usage, _, rest = after.partition("\n")
    about = paragraphs(before.splitlines())
    page = name.replace(" ", "-")
    summary = about[0].removeprefix("Sinete, ").rstrip(".") if name == "sinete" else about[0]
    lines = title(page, 1, version)
    lines += [".SH NAME", f"{escape(page)} \\- {inline(summary)}", ".SH SYNOPSIS", f"\\fB{escape(usage)}\\fR"]
    lines += [".SH DESCRIPTION"]
    for place, block in enumerate(about):
        lines += [*([".PP"] if place else []), inline(block)]
    heading, body = None, []

    def finish() -> None:
        if heading is None:
            return
        lines.append(f".SH {HEADINGS[heading]}")
        if heading == "Examples":
            lines.extend([".nf", *(escape(line.strip()) for line in body if line.strip()), ".fi"])
        else:
            lines.extend(entries(body))

    for line in rest.splitlines():
        match = re.fullmatch(r"([A-Z][a-z ]+):", line)
        if match:
            finish()
            heading, body = match[1], []
        else:
            body.append(line)
    finish()
    if name == "sinete":
        lines += [".SH ENVIRONMENT", "Each setting can be given as a variable: see \\fBsinete.toml\\fR(5)."]
    related = [other for other in others if other != name and (other.startswith(name) or name.startswith(other))]
    refs = [f"\\fB{escape(other.replace(' ', '-'))}\\fR(1)" for other in related] + ["\\fBsinete.toml\\fR(5)"]
    lines += [".SH SEE ALSO", ",\n".join(refs)]
    return "\n".join(lines) + "\n"


def settings_page(markdown: str, version: str) -> str:
    opening, *sections = re.split(r"\n## ", markdown)
    lines = title("sinete.toml", 5, version)
    lines += [".SH NAME", "sinete.toml \\- configuration of the identity provider Sinete", ".SH DESCRIPTION"]
    blocks = [block for block in paragraphs(opening.splitlines()[1:]) if not block.startswith("This page")]
    for place, block in enumerate(blocks):
        lines += [*([".PP"] if place else []), inline(block)]
    lines.append(".SH SETTINGS")
    for section in sections:
        heading, *body = section.splitlines()
        lines.append(f".SS {inline(heading)}")
        text = [line for line in body if not line.startswith("- ")]
        for place, block in enumerate(paragraphs(text)):
            lines += [*([".PP"] if place else []), inline(block)]
        for line in body:
            if line.startswith("- "):
                lines += [".br" if line is not body[0] else ".PP", inline(line[2:])]
    lines += [".SH SEE ALSO", "\\fBsinete\\fR(1),", "\\fBsinete\\-config\\-check\\fR(1),", "\\fBsinete\\-doctor\\fR(1)"]
    return "\n".join(lines) + "\n"


def pages(commands: str, settings: str, version: str) -> dict[str, bytes]:
    """Every manual page by its path below `man`."""
    found = re.findall(r"^## `([^`]+)`\n\n```text\n(.*?)\n```$", commands, re.MULTILINE | re.DOTALL)
    assert len(found) > 20, "the reference of commands has another form than expected"
    names = [name for name, _ in found]
    written = {
        f"man1/{name.replace(' ', '-')}.1": command_page(name, text, names, version).encode() for name, text in found
    }
    written["man5/sinete.toml.5"] = settings_page(settings, version).encode()
    return written
