//! Finds the paths that Rust source names, in imports and elsewhere, without a complete parser.

/// A path and the line it is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustPath {
    /// Its segments, such as `crate`, `oauth`, `Token`.
    pub segments: Vec<String>,
    /// The name that it is imported as.
    pub name: String,
    /// The line, counted from one.
    pub line: usize,
}

/// The source with comments, text and everything that is compiled only for tests replaced by spaces, on the same lines.
pub fn mask_source(text: &str) -> String {
    mask_tests(&mask_text(text))
}

fn mask_text(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut masked = bytes.to_vec();
    let mut index = 0;
    while index < bytes.len() {
        let end = index + masked_length(&text.as_bytes()[index..], index.checked_sub(1).map(|it| bytes[it]));
        for byte in &mut masked[index..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        index = end.max(index + 1);
    }
    String::from_utf8(masked).unwrap()
}

/// How many bytes of a comment, a text or a character begin here.
fn masked_length(rest: &[u8], before: Option<u8>) -> usize {
    let find = |end: &[u8], from: usize| {
        let position = rest[from..].windows(end.len()).position(|it| it == end);
        position.map_or(rest.len(), |it| from + it + end.len())
    };
    let is_word = before.is_some_and(|it| it.is_ascii_alphanumeric() || it == b'_');
    match rest {
        [b'/', b'/', ..] => rest.iter().position(|it| *it == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => find(b"*/", 2),
        [b'"', ..] => quoted_length(rest),
        [b'r', b'"', ..] if !is_word => find(b"\"", 2),
        [b'r', b'#', tail @ ..] if !is_word => {
            let hashes = 1 + tail.iter().take_while(|it| **it == b'#').count();
            if rest.get(1 + hashes) != Some(&b'"') {
                return 0;
            }
            let end = [b"\"".as_slice(), &vec![b'#'; hashes]].concat();
            find(&end, 2 + hashes)
        }
        [b'\'', b'\\', _, tail @ ..] => 3 + tail.iter().take_while(|it| **it != b'\'').count() + 1,
        [b'\'', tail @ ..] => {
            // A lifetime has no second quotation mark after one character.
            let width = tail.iter().skip(1).take_while(|it| **it & 0xc0 == 0x80).count() + 1;
            if tail.get(width) == Some(&b'\'') { width + 2 } else { 0 }
        }
        _ => 0,
    }
}

fn quoted_length(rest: &[u8]) -> usize {
    let mut index = 1;
    while let Some(byte) = rest.get(index) {
        match byte {
            b'"' => return index + 1,
            b'\\' => index += 2,
            _ => index += 1,
        }
    }
    rest.len()
}

fn mask_tests(text: &str) -> String {
    let mut masked = text.to_owned();
    while let Some(start) = masked.find("#[cfg(test)]") {
        let end = start + item_length(&masked[start..]);
        let blank: String =
            masked[start..end].chars().map(|it| if it == '\n' { '\n' } else { ' ' }).collect();
        masked.replace_range(start..end, &blank);
    }
    masked
}

/// The length of the item that begins here, with its attributes.
fn item_length(text: &str) -> usize {
    let mut depth = 0_i32;
    for (index, character) in text.char_indices().skip(1) {
        match character {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' if depth == 0 => return index,
            '}' | ')' | ']' => {
                depth -= 1;
                if depth == 0 && character == '}' {
                    return index + 1;
                }
            }
            ';' | ',' if depth == 0 => return index + 1,
            _ => {}
        }
    }
    text.len()
}

/// All paths of masked source: each import by itself, and what begins with `crate` or `super` elsewhere.
pub fn paths(masked: &str) -> Vec<RustPath> {
    let mut paths = Vec::new();
    let mut words = Words { text: masked, place: 0 };
    let (mut line, mut scan_offset) = (1, 0);
    while let Some(word) = words.next() {
        line += masked[scan_offset..words.place].matches('\n').count();
        scan_offset = words.place;
        match word {
            "use" => words.read_import(&[], line, &mut paths),
            "crate" | "super" => {
                let mut segments = vec![word.to_owned()];
                while words.skip("::") {
                    let Some(next) = words.next() else { break };
                    segments.push(next.to_owned());
                }
                let name = segments.last().cloned().unwrap_or_default();
                paths.push(RustPath { segments, name, line });
            }
            _ => {}
        }
    }
    paths
}

/// Reads source word by word: a name, or a single character that is neither a name nor a space.
struct Words<'a> {
    text: &'a str,
    place: usize,
}

impl<'a> Words<'a> {
    fn peek(&self) -> Option<&'a str> {
        let rest = self.text[self.place..].trim_start();
        let is_part = |it: char| it.is_alphanumeric() || it == '_';
        let length = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
        let first = rest.chars().next()?;
        Some(&rest[..if length == 0 { first.len_utf8() } else { length }])
    }

    fn next(&mut self) -> Option<&'a str> {
        let word = self.peek()?;
        let spaces = self.text[self.place..].len() - self.text[self.place..].trim_start().len();
        self.place += spaces + word.len();
        Some(word)
    }

    fn skip(&mut self, sign: &str) -> bool {
        let rest = self.text[self.place..].trim_start();
        let is_there = rest.starts_with(sign);
        if is_there {
            self.place = self.text.len() - rest.len() + sign.len();
        }
        is_there
    }

    /// Reads one tree of an import, after the segments that lead to it.
    fn read_import(&mut self, above: &[String], line: usize, paths: &mut Vec<RustPath>) {
        let mut segments = above.to_vec();
        loop {
            if self.skip("{") {
                while !self.skip("}") && self.peek().is_some() {
                    self.read_import(&segments, line, paths);
                    self.skip(",");
                }
                return;
            }
            let Some(word) = self.next() else { return };
            segments.push(word.to_owned());
            if !self.skip("::") {
                break;
            }
        }
        let mut name = segments.last().cloned().unwrap_or_default();
        if self.peek() == Some("as") {
            self.next();
            name = self.next().unwrap_or_default().to_owned();
        }
        paths.push(RustPath { segments, name, line });
    }
}

#[test]
fn rust_paths_are_found_in_imports_and_expressions() {
    let source = "use a::{b::{self, C as D}, e};\nfn f() -> crate::g::H { super::super::i!() }\n";
    let rust_paths: Vec<(String, String, usize)> =
        paths(source).into_iter().map(|it| (it.segments.join("::"), it.name, it.line)).collect();
    let expected = [
        ("a::b::self", "self", 1),
        ("a::b::C", "D", 1),
        ("a::e", "e", 1),
        ("crate::g::H", "H", 2),
        ("super::super::i", "i", 2),
    ];
    let expected = expected.map(|(path, name, line)| (path.to_owned(), name.to_owned(), line));
    assert_eq!(rust_paths, expected);
}

#[test]
fn rust_paths_in_comments_text_and_tests_are_masked() {
    let source = "// crate::a\nlet b = \"crate::b \\\" crate::c\";\nlet c = r#\"crate::d \" crate::e\"#;\nlet d: &'a str = ('\"', crate::f);\n#[cfg(test)]\nmod tests {\n    use crate::g;\n}\n#[cfg(test)]\nuse crate::h;\nuse crate::i;\n";
    let masked = mask_source(source);
    assert_eq!(masked.lines().count(), source.lines().count());
    let rust_paths: Vec<String> = paths(&masked).into_iter().map(|it| it.segments.join("::")).collect();
    assert_eq!(rust_paths, ["crate::f", "crate::i"]);
}
