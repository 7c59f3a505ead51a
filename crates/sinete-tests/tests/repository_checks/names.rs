//! Names follow docs/contribute/terminology.md: a type says what it holds and is unique in its crate, no name is a
//! metaphor, and new commits and decision records name their area.

use super::source_tree::{File, files, root, sample};
use super::{expect_complaint, expect_silence};
use std::collections::BTreeMap;
use std::process::Command;

/// At most this share of type names is a single word, in percent.
const ONE_WORD_PERCENT_MAX: usize = 15;
/// A type name has at least this many words on average, in hundredths.
const WORDS_MEAN_MIN: usize = 230;
const SUBJECT_CHARACTERS_MAX: usize = 72;
/// The last commit before subjects had to name their area.
const SUBJECTS_SINCE: &str = "1f0a07b";

/// Participles that end neither in -ed nor in -ing.
const PARTICIPLES: &[&str] = &[
    "Begun", "Bound", "Brought", "Built", "Chosen", "Done", "Drawn", "Found", "Given", "Gone", "Heard",
    "Held", "Kept", "Known", "Left", "Lent", "Made", "Meant", "Met", "Said", "Seen", "Sent", "Set", "Shown",
    "Spent", "Taken", "Thought", "Told", "Untold", "Written",
];
const PRONOUNS: &[&str] = &[
    "Anybody",
    "Around",
    "Behind",
    "Everybody",
    "Here",
    "Himself",
    "Nobody",
    "Oneself",
    "Ourselves",
    "Somebody",
    "Themselves",
    "There",
    "Whence",
    "Where",
    "Whether",
    "Who",
    "Whoever",
    "Whom",
    "Whose",
];
/// Metaphors for parts of a program that have a standard name.
const METAPHORS: &[&str] = &[
    "Attendant",
    "Desk",
    "Door",
    "Errand",
    "Farewell",
    "House",
    "Neighbourhood",
    "Reception",
    "Standing",
    "Trail",
    "Visit",
    "Vouching",
    "Walker",
];

/// Words that say nothing about a value, or that name it by a metaphor: a parameter is called what it holds.
const PARAMETERS: &[&str] = &[
    "asked", "asker", "asking", "desk", "errand", "kept", "nobody", "oneself", "said", "shown", "somebody",
    "stranger", "supposed", "told", "visit", "vouching", "walker", "wanted", "whoever", "whose",
];

/// A type that the product defines outside of its tests.
#[derive(Debug)]
struct DefinedType {
    crate_folder: String,
    path: String,
    name: String,
}

fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for character in name.chars() {
        match words.last_mut() {
            Some(word) if !character.is_uppercase() => word.push(character),
            _ => words.push(character.to_string()),
        }
    }
    words
}

/// The name of the type that a line begins to define, if it does.
fn defined_in(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub").map_or(line, |rest| {
        rest.strip_prefix('(')
            .and_then(|rest| rest.split_once(')'))
            .map_or(rest, |(_, rest)| rest)
            .trim_start()
    });
    let name =
        ["struct ", "enum ", "trait ", "type ", "union "].iter().find_map(|kind| rest.strip_prefix(kind))?;
    let end =
        name.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(name.len());
    Some(&name[..end])
}

fn defined_types(files: &[File]) -> Vec<DefinedType> {
    let mut types = Vec::new();
    for file in files.iter().filter(|file| file.is_product()) {
        let Some(crate_folder) = file.crate_folder() else { continue };
        types.extend(file.code().lines().filter_map(defined_in).map(|name| DefinedType {
            crate_folder: crate_folder.to_owned(),
            path: file.path.clone(),
            name: name.to_owned(),
        }));
    }
    types
}

fn shared_names(types: &[DefinedType]) -> Vec<String> {
    let mut paths: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for it in types {
        paths.entry((&it.crate_folder, &it.name)).or_default().push(&it.path);
    }
    paths
        .into_iter()
        .filter(|(_, paths)| paths.len() > 1)
        .map(|((crate_folder, name), paths)| {
            format!("{crate_folder} has several types {name}: {}", paths.join(", "))
        })
        .collect()
}

fn poor_names(types: &[DefinedType]) -> Vec<String> {
    let mut complaints = Vec::new();
    for it in types {
        let words = words(&it.name);
        let [first, rest @ ..] = words.as_slice() else { continue };
        let is_participle = (first.ends_with("ed") && first.len() > 4 && !first.ends_with("eed"))
            || (first.ends_with("ing") && first.len() > 5)
            || PARTICIPLES.contains(&first.as_str());
        if rest.is_empty() && (is_participle || PRONOUNS.contains(&first.as_str())) {
            complaints
                .push(format!("{}: {} names a participle or a pronoun, not what it holds", it.path, it.name));
        }
        if let Some(word) = words.iter().find(|word| METAPHORS.contains(&word.as_str())) {
            complaints.push(format!(
                "{}: {} uses the metaphor {word}: see docs/contribute/terminology.md",
                it.path, it.name
            ));
        }
    }
    complaints
}

fn thin_names(types: &[DefinedType]) -> Vec<String> {
    let counts: Vec<usize> = types.iter().map(|it| words(&it.name).len()).collect();
    let single = counts.iter().filter(|count| **count == 1).count();
    let mut complaints = Vec::new();
    if single * 100 > counts.len() * ONE_WORD_PERCENT_MAX {
        complaints.push(format!(
            "{single} of {} type names are one word: at most {ONE_WORD_PERCENT_MAX} % may be",
            counts.len()
        ));
    }
    let total: usize = counts.iter().sum();
    if total * 100 < counts.len() * WORDS_MEAN_MIN {
        complaints.push(format!(
            "{} type names have {total} words: at least {WORDS_MEAN_MIN} for 100 are expected",
            counts.len()
        ));
    }
    complaints
}

/// Splits a signature after `fn` into the name with its generics, and what follows the parenthesis.
fn split_signature(signature: &str) -> Option<(&str, &str)> {
    let mut depth = 0_i32;
    for (index, character) in signature.char_indices() {
        match character {
            '<' => depth += 1,
            '>' if !signature[..index].ends_with('-') => depth -= 1,
            '(' if depth == 0 => return Some((&signature[..index], &signature[index + 1..])),
            _ => {}
        }
    }
    None
}

/// The names of the parameters of every function in a text, with the function.
fn parameters(code: &str) -> Vec<(&str, &str)> {
    let mut parameters = Vec::new();
    for (start, _) in code.match_indices("fn ") {
        let Some((function, rest)) = split_signature(&code[start + 3..]) else { continue };
        let mut depth = 0_i32;
        let mut from = 0;
        for (index, character) in rest.char_indices() {
            let is_end = depth == 0 && character == ')';
            if is_end || (depth == 0 && character == ',') {
                let name = rest[from..index].split_once(':').map_or("", |(name, _)| name.trim());
                parameters.push((function, name.trim_start_matches("mut ")));
                from = index + 1;
            }
            match character {
                '(' | '[' | '{' | '<' => depth += 1,
                '>' if rest[..index].ends_with('-') => {}
                ')' | ']' | '}' | '>' => depth -= 1,
                _ => {}
            }
            if is_end {
                break;
            }
        }
    }
    parameters
}

fn poor_parameters(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.is_product()) {
        let code = file.code();
        for (function, name) in parameters(&code).into_iter().filter(|(_, name)| PARAMETERS.contains(name)) {
            complaints.push(format!("{}: a parameter of {function} is called {name}", file.path));
        }
    }
    complaints
}

fn poor_subjects(subjects: &str) -> Vec<String> {
    let is_area = |area: &str| {
        !area.is_empty()
            && area.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || "_-,/. ".contains(it))
    };
    subjects
        .lines()
        .filter(|subject| {
            let names_area = subject.split_once(": ").is_some_and(|(area, change)| is_area(area) && !change.is_empty());
            !names_area || subject.chars().count() > SUBJECT_CHARACTERS_MAX
        })
        .map(|subject| format!("a commit is called {subject:?}: write `area: what changes`, {SUBJECT_CHARACTERS_MAX} characters at most"))
        .collect()
}

#[test]
fn type_names_are_unique_within_their_crate() {
    let types = defined_types(&files());
    assert!(types.len() > 1_000, "the types were not found");
    expect_silence(&shared_names(&types));
}

#[test]
fn type_names_are_specific_and_free_of_metaphors() {
    let types = defined_types(&files());
    expect_silence(&poor_names(&types));
    expect_silence(&thin_names(&types));
}

#[test]
fn parameter_names_say_what_they_hold() {
    let files = files();
    let parameter_count: usize = files.iter().map(|file| parameters(&file.code()).len()).sum();
    assert!(parameter_count > 10_000, "the parameters were not found");
    expect_silence(&poor_parameters(&files));
}

#[test]
fn parameter_name_check_finds_private_words() {
    let bad =
        "pub async fn redeem<F: Fn(u8) -> u8>(engine: &Engine, mut asking: &Context<'_, u8>) -> u8 {\n}\n";
    expect_complaint(&poor_parameters(&[sample("crates/sinete-core/src/a.rs", bad)]), "is called asking");
    let good = "fn redeem(context: &Context<'_, u8>, asked_at: Timestamp) {\n}\n";
    expect_silence(&poor_parameters(&[sample("crates/sinete-core/src/a.rs", good)]));
}

#[test]
fn commit_subjects_name_their_area_and_fit_a_line() {
    let range = format!("{SUBJECTS_SINCE}..HEAD");
    let log =
        Command::new("git").current_dir(root()).args(["log", "--no-merges", "--format=%s", &range]).output();
    // A source archive has no history, and a shallow clone may lack the first commit.
    let Some(log) = log.ok().filter(|log| log.status.success()) else { return };
    expect_silence(&poor_subjects(&String::from_utf8(log.stdout).unwrap()));
}

#[test]
fn type_name_check_finds_poor_names() {
    let twice = [
        sample("crates/sinete-core/src/a.rs", "pub struct GrantRow {\n}\n"),
        sample("crates/sinete-core/src/b.rs", "pub(in crate::b) enum GrantRow {\n}\n"),
        sample("crates/sinete-store/src/c.rs", "type GrantRow = u8;\n"),
    ];
    expect_complaint(&shared_names(&defined_types(&twice)), "sinete-core has several types GrantRow");
    for (name, fault) in
        [("Asked", "participle"), ("Whose", "pronoun"), ("Kept", "participle"), ("EngineHouse", "metaphor")]
    {
        let bad = [sample("crates/sinete-core/src/a.rs", &format!("struct {name};\n"))];
        expect_complaint(&poor_names(&defined_types(&bad)), fault);
    }
    for name in ["SigningKey", "AskedScopes", "Seed", "KeptForm"] {
        let good = [sample("crates/sinete-core/src/a.rs", &format!("struct {name};\n"))];
        expect_silence(&poor_names(&defined_types(&good)));
    }
    let thin = [sample(
        "crates/sinete-core/src/a.rs",
        "struct Key;\nstruct SigningKeyRing;\nstruct OtherKeyRing;\n",
    )];
    expect_complaint(&thin_names(&defined_types(&thin)), "are one word");
    let short = "struct Key;\n".to_owned()
        + &(0..9).map(|it| format!("struct SigningKey{it};\n")).collect::<String>();
    expect_complaint(&thin_names(&defined_types(&[sample("crates/sinete-core/src/a.rs", &short)])), "words");
}

#[test]
fn commit_subject_check_finds_poor_subjects() {
    expect_silence(&poor_subjects("dpop: reject proofs whose htu is not a string\nchore/deps: update\n"));
    expect_complaint(&poor_subjects("Reject proofs\n"), "area: what changes");
    expect_complaint(&poor_subjects(&format!("dpop: {}\n", "x".repeat(70))), "72 characters");
}
