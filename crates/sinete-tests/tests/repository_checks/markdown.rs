//! The parts of Markdown that the checks of documents need.

#[derive(Debug, PartialEq, Eq)]
pub struct Link {
    pub text: String,
    pub target: String,
}

/// The lines outside fenced blocks.
pub fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fence && !fenced
    })
}

/// The lines inside fenced blocks.
pub fn fenced(text: &str) -> Vec<&str> {
    let mut inside = false;
    text.lines()
        .filter(|line| {
            let fence = line.trim_start().starts_with("```");
            inside ^= fence;
            !fence && inside
        })
        .collect()
}

/// The fenced blocks in this language.
pub fn fenced_as(text: &str, language: &str) -> Vec<String> {
    let (mut blocks, mut inside) = (Vec::new(), None);
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut inside) {
            (Some(name), None) => inside = Some((name == language, String::new())),
            (Some(_), Some((is_wanted, block))) => {
                blocks.extend(is_wanted.then(|| std::mem::take(block)));
                inside = None;
            }
            (None, Some((_, block))) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

/// Every inline link outside fenced blocks.
pub fn links(text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    for line in prose(text) {
        let mut rest = line;
        while let Some(middle) = rest.find("](") {
            let (before, after) = (&rest[..middle], &rest[middle + 2..]);
            if let (Some(start), Some(end)) = (before.rfind('['), after.find(')')) {
                links.push(Link { text: before[start + 1..].to_owned(), target: after[..end].to_owned() });
            }
            rest = after;
        }
    }
    links
}

/// The anchors of a document, as common renderers generate them.
pub fn anchors(text: &str) -> Vec<String> {
    prose(text)
        .filter(|line| line.starts_with('#'))
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

fn anchor(heading: &str) -> String {
    heading
        .trim()
        .chars()
        .filter_map(|character| match character {
            ' ' => Some('-'),
            '-' | '_' => Some(character),
            _ if character.is_alphanumeric() => Some(character.to_ascii_lowercase()),
            _ => None,
        })
        .collect()
}

/// The part of a document under the level-two heading of that name, up to the next one.
pub fn section<'a>(text: &'a str, name: &str) -> &'a str {
    let heading = format!("\n## {name}\n");
    let Some(start) = text.find(&heading) else { return "" };
    let body = &text[start + heading.len()..];
    body.find("\n## ").map_or(body, |end| &body[..end])
}

/// The cells of a table row; `None` if the line is no row or only the separator.
pub fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let is_rule = inner.chars().all(|character| matches!(character, '-' | ':' | '|' | ' '));
    (!is_rule).then(|| inner.split('|').map(str::trim).collect())
}

/// The texts between backquotes.
pub fn code_spans(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn markdown_links_and_anchors_are_found_outside_code() {
    let text = "# One, two\n[a](b.md) and [`c`](d.rs#e)\n```\n[no](no.md)\n# No\n```\n## Law 8: act\n";
    let link_pairs: Vec<_> = links(text).into_iter().map(|link| (link.text, link.target)).collect();
    assert_eq!(link_pairs, [("a".into(), "b.md".into()), ("`c`".into(), "d.rs#e".into())]);
    assert_eq!(anchors(text), ["one-two", "law-8-act"]);
    assert_eq!(fenced(text), ["[no](no.md)", "# No"]);
}

#[test]
fn markdown_table_is_read_by_section() {
    let text = "x\n## One\n| `a` | b |\n|---|:-:|\n## Two\n| c |\n";
    let rows: Vec<_> = section(text, "One").lines().filter_map(cells).collect();
    assert_eq!(rows, [vec!["`a`", "b"]]);
    assert_eq!(section(text, "Three"), "");
    assert_eq!(code_spans("`a` and `b`"), ["a", "b"]);
}
