"""Leads the links of the built book that leave docs/ to copies of the files they name, below source/, and the root to the first page."""

import posixpath
import re
import sys
from pathlib import Path

LINK = re.compile(r'(<a [^>]*?href=")([^"#:]+)(#[^"]*)?(")')


def find(path: str) -> Path | None:
    """The file or folder of the repository; mdBook has renamed documents to pages."""
    candidates = [path, path.removesuffix(".html") + ".md", path.replace("index.html", "README.md")]
    return next((Path(name) for name in candidates if Path(name).exists()), None)


def find_page(path: str, book: Path) -> str | None:
    """The path of a page in the book. mdBook calls a README index.html, and its own list of pages toc.html."""
    candidates = [path, path.replace("README.html", "index.html"), path.replace("SUMMARY.html", "toc.html")]
    return next((name for name in candidates if (book / name).exists()), None)


def copy(original: Path, book: Path) -> str:
    """Puts a copy into the book, as plain text that every browser shows, and returns its path in the book."""
    target = f"source/{original.as_posix()}.txt"
    place = book / target
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        if original.is_dir():
            place.write_text("\n".join(sorted(entry.as_posix() for entry in original.iterdir())) + "\n")
        else:
            place.write_bytes(original.read_bytes())
    return target


def rewrite(page: Path, book: Path) -> list[str]:
    folder = page.parent.relative_to(book).as_posix()
    dead = []

    def lead(match: re.Match) -> str:
        before, target, anchor, after = match.groups()
        path = posixpath.normpath(posixpath.join("docs", folder, target))
        if path == "docs" or path.startswith("docs/") or target.startswith("/"):
            inside = find_page(path.removeprefix("docs/"), book)
            if inside is None:
                dead.append(f"{page}: {target}")
                return match.group(0)
            return f"{before}{posixpath.relpath(inside, folder)}{anchor or ''}{after}"
        original = find(path)
        if original is None:
            dead.append(f"{page}: {target}")
            return match.group(0)
        return f"{before}{posixpath.relpath(copy(original, book), folder)}{after}"

    page.write_text(LINK.sub(lead, page.read_text(encoding="utf-8")), encoding="utf-8")
    return dead


def redirect_root(book: Path) -> None:
    """mdBook repeats the first page at the root, where its relative links lead elsewhere."""
    first = re.search(r"\]\(([^)]+)\.md\)", Path("docs/SUMMARY.md").read_text(encoding="utf-8")).group(1)
    address = f"{first}.html"
    (book / "index.html").write_text(
        f'<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Sinete</title>\n'
        f'<meta http-equiv="refresh" content="0; url={address}">\n<a href="{address}">Introduction</a>\n</html>\n'
    )


def main() -> int:
    book = Path(sys.argv[1])
    redirect_root(book)
    dead = [line for page in sorted(book.rglob("*.html")) for line in rewrite(page, book)]
    print("\n".join(dead), file=sys.stderr, end="\n" if dead else "")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
