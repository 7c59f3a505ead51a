//! Decision records can be found: the file name and the title begin with the standard word for the subject, the title
//! fits a line, the status is stated, the index repeats the title, and no record uses words that
//! docs/contribute/terminology.md avoids.

use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};

const FOLDER: &str = "docs/contribute/decisions/";
const INDEX: &str = "docs/contribute/decisions/README.md";
const TITLE_CHARACTERS_MAX: usize = 80;

/// Words of docs/contribute/terminology.md that no record needs, in lower case.
const AVOIDED: &[&str] = &[
    "anybody",
    "attendant",
    "errand",
    "errands",
    "everybody",
    "farewell",
    "mend",
    "mended",
    "nobody",
    "somebody",
    "vouch",
    "vouched",
    "vouches",
    "vouching",
    "whoever",
    "whomever",
];
/// Words that a record may need in a sentence, and no title does.
const AVOIDED_IN_TITLES: &[&str] = &[
    "desk",
    "door",
    "floor",
    "floors",
    "house",
    "letter",
    "letters",
    "looks",
    "reception",
    "room",
    "sealed",
    "spends",
    "spent",
    "stands",
    "told",
    "trail",
    "walk",
];

fn records(files: &[File]) -> impl Iterator<Item = (&str, &File)> {
    files
        .iter()
        .filter(|file| file.path != INDEX)
        .filter_map(|file| Some((file.path.strip_prefix(FOLDER)?, file)))
}

/// The letters and digits of a text in lower case, so that `E-mail` and `email` are the same word.
fn squeezed(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|it| it.to_ascii_lowercase()).collect()
}

/// The text without its code spans.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

fn avoided<'a>(text: &str, words: &'a [&'a str]) -> Option<&'a str> {
    let text = text.to_lowercase();
    let text_words: Vec<&str> = text.split(|it: char| !it.is_alphanumeric()).collect();
    words.iter().copied().find(|word| text_words.contains(word))
}

/// The title without `# NNNN: `, if the first line has that form with the number of the file.
fn title<'a>(name: &str, record: &'a File) -> Option<&'a str> {
    let number = name.get(..4)?;
    record.text.lines().next()?.strip_prefix("# ")?.strip_prefix(number)?.strip_prefix(": ")
}

fn poor_file_names(files: &[File]) -> Vec<String> {
    records(files)
        .filter(|(name, _)| {
            let words: Vec<&str> =
                name.strip_suffix(".md").map(|stem| stem.split('-').collect()).unwrap_or_default();
            let is_word = |word: &&str| {
                !word.is_empty() && word.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
            };
            words.len() < 3 || words[0].len() != 4 || !words.iter().all(is_word)
        })
        .map(|(name, _)| format!("{name} is not called NNNN-topic-what-was-decided"))
        .collect()
}

fn poor_titles(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (name, record) in records(files) {
        let Some((subject, decision)) = title(name, record).and_then(|title| title.split_once(": ")) else {
            complaints.push(format!("{name}: the title is not `NNNN: Subject: what was decided`"));
            continue;
        };
        let length = "NNNN: ".len() + subject.chars().count() + ": ".len() + decision.chars().count();
        if length > TITLE_CHARACTERS_MAX {
            complaints
                .push(format!("{name}: the title has {length} characters, more than {TITLE_CHARACTERS_MAX}"));
        }
        let first = squeezed(subject.split(' ').next().unwrap_or_default());
        if !squeezed(&name[4..]).starts_with(&first) {
            complaints.push(format!("{name}: the file name does not begin with the subject, {subject:?}"));
        }
        let title_text = format!("{subject} {decision} {}", name.replace('-', " "));
        if let Some(word) = avoided(&title_text, AVOIDED_IN_TITLES) {
            complaints
                .push(format!("{name}: the title contains {word:?}: see docs/contribute/terminology.md"));
        }
    }
    complaints
}

fn without_status(files: &[File]) -> Vec<String> {
    records(files)
        .filter(|(_, record)| {
            let lines: Vec<&str> = record.text.lines().take(4).collect();
            let [_, "", status, ""] = lines.as_slice() else { return true };
            let Some(status) = status.strip_prefix("Status: ") else { return true };
            status != "accepted"
                && !status.starts_with("accepted; ")
                && replacement(record).is_none_or(|number| number.len() != 4)
        })
        .map(|(name, _)| {
            format!(
                "{name}: the third line is neither `Status: accepted` nor `Status: replaced by` and a link"
            )
        })
        .collect()
}

/// The number of the record that replaces this one.
fn replacement(record: &File) -> Option<&str> {
    let status = record.text.lines().nth(2)?.strip_prefix("Status: replaced by [")?;
    status.split_once("](").map(|(number, _)| number)
}

/// Complaints about records without a line in the index: link, title, and the record that replaces it.
fn unindexed(files: &[File]) -> Vec<String> {
    let index =
        files.iter().find(|file| file.path == INDEX).map(|file| file.text.as_str()).unwrap_or_default();
    records(files)
        .filter(|(name, record)| {
            let (Some(number), Some(title)) = (name.get(..4), title(name, record)) else { return false };
            let line = format!("- [{number}]({name}) {title}");
            let note = replacement(record).map(|by| format!(" (replaced by {by})")).unwrap_or_default();
            !index.lines().any(|it| {
                it.strip_prefix(line.as_str())
                    .is_some_and(|rest| rest == note || (note.is_empty() && rest.starts_with(" (")))
            })
        })
        .map(|(name, _)| format!("{name}: the index has no line with its link, title and replacement"))
        .collect()
}

fn avoided_words(files: &[File]) -> Vec<String> {
    records(files)
        .filter_map(|(name, record)| {
            let word = avoided(&without_code(&record.text), AVOIDED)?;
            Some(format!("{name} contains {word:?}: see docs/contribute/terminology.md"))
        })
        .collect()
}

#[test]
fn decision_records_are_named_by_their_subject() {
    let files = files();
    assert!(records(&files).count() > 150, "the decision records were not found");
    expect_silence(&poor_file_names(&files));
    expect_silence(&poor_titles(&files));
}

#[test]
fn decision_records_state_their_status_and_are_indexed_by_title() {
    let files = files();
    expect_silence(&without_status(&files));
    expect_silence(&unindexed(&files));
}

#[test]
fn decision_records_use_the_words_of_the_terminology() {
    expect_silence(&avoided_words(&files()));
}

#[test]
fn decision_record_check_finds_a_poor_title_or_status() {
    let record = |name: &str, text: &str| [sample(&format!("{FOLDER}{name}"), text)];
    let good = "# 0163: DPoP: which proofs count\n\nStatus: accepted\n\n## Context\n";
    let name = "0163-dpop-which-proofs-count.md";
    expect_silence(&poor_file_names(&record(name, good)));
    for poor in ["0163-dpop.md", "163-dpop-proofs.md", "0163-DPoP-proofs.md", "0163-dpop--proofs.md"] {
        expect_complaint(&poor_file_names(&record(poor, good)), "NNNN-topic");
    }

    expect_silence(&poor_titles(&record(name, good)));
    expect_silence(&poor_titles(&record(
        "0080-email-change-undo.md",
        "# 0080: E-mail change: can be undone\n",
    )));
    let long = good.replace("count", &"x".repeat(60));
    for (text, expected_text) in [
        ("# 0163: Which proofs count\n", "Subject: what"),
        ("# 163: DPoP: which proofs count\n", "Subject: what"),
        (long.as_str(), "more than 80"),
        ("# 0163: Proofs: which count\n", "does not begin with the subject"),
        ("# 0163: DPoP: when a proof is spent\n", "\"spent\""),
    ] {
        expect_complaint(&poor_titles(&record(name, text)), expected_text);
    }

    let replaced = good.replace("accepted", "replaced by [0206](0206-dpop-polls.md)");
    expect_silence(&without_status(&record(name, good)));
    expect_silence(&without_status(&record(
        name,
        &good.replace("accepted", "accepted; departs from RFC 9449"),
    )));
    expect_silence(&without_status(&record(name, &replaced)));
    for status in ["", "Status: draft\n\n", "Status: replaced by another\n\n"] {
        let text = good.replace("Status: accepted\n\n", status);
        expect_complaint(&without_status(&record(name, &text)), "third line");
    }

    let indexed = |line: &str, text: &str| unindexed(&[sample(INDEX, line), record(name, text)[0].clone()]);
    let line = "- [0163](0163-dpop-which-proofs-count.md) DPoP: which proofs count";
    expect_silence(&indexed(line, good));
    expect_silence(&indexed(&format!("{line} (departs from RFC 9449)"), good));
    expect_silence(&indexed(&format!("{line} (replaced by 0206)"), &replaced));
    expect_complaint(&indexed(line, &replaced), "replacement");
    expect_complaint(&indexed(&line.replace("which", "what"), good), "title");

    expect_complaint(&avoided_words(&record(name, "Whoever asks is refused.")), "\"whoever\"");
    expect_silence(&avoided_words(&record(name, "Shown by `whoever_asks_is_refused`.")));
}
