//! Turns the message files in `locales/` into Rust: one structure for each group, one field for each phrase
//! without arguments, one method for each phrase with arguments. Every language must have every phrase with
//! the same arguments; what is missing or left over stops the build and is named.

#[path = "build/emit.rs"]
mod emit;
#[path = "build/messages.rs"]
mod messages;

use messages::Messages;
use std::path::Path;
use std::process::ExitCode;

/// A language: the name of its variant, its BCP 47 tag, how it is stored, its plural rule, and the language
/// that supplies the phrases which its own file does not change.
struct LanguageRow {
    variant: &'static str,
    tag: &'static str,
    stored: &'static str,
    plural: &'static str,
    base: Option<&'static str>,
}

/// All languages, in the order they are offered. A new one is a line here and a file in `locales/`. A base
/// comes before what is based on it.
#[rustfmt::skip]
const LANGUAGES: [LanguageRow; 4] = [
    LanguageRow { variant: "English", tag: "en", stored: "en", plural: "OnlyOne", base: None },
    LanguageRow { variant: "Portuguese", tag: "pt-BR", stored: "pt", plural: "ZeroAndOne", base: None },
    LanguageRow { variant: "EuropeanPortuguese", tag: "pt-PT", stored: "pt-PT", plural: "OnlyOne", base: Some("pt-BR") },
    LanguageRow { variant: "Spanish", tag: "es", stored: "es", plural: "OnlyOne", base: None },
];

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=locales");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    match generate() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => {
            for problem in problems {
                println!("cargo::error={problem}");
            }
            ExitCode::FAILURE
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "Cargo names the folder for generated files in the environment"
)]
fn generate() -> Result<(), Vec<String>> {
    let mut problems = Vec::new();
    let mut files: Vec<Messages> = Vec::new();
    for row in &LANGUAGES {
        let path = format!("locales/{}.ftl", row.tag);
        let text = std::fs::read_to_string(&path)
            .map_err(|error| vec![format!("{path} cannot be read: {error}")])?;
        let mut read = Messages::parse(&path, &text, &mut problems);
        let base = row.base.and_then(|tag| LANGUAGES.iter().position(|other| other.tag == tag));
        if let Some(base) = base.and_then(|index| files.get(index)) {
            read.add_missing_from(base);
        }
        files.push(read);
    }
    let (first, others) = files.split_first().ok_or_else(|| vec!["there is no language".to_owned()])?;
    for other in others {
        first.compare(other, &mut problems);
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let folder = std::env::var("OUT_DIR").map_err(|error| vec![error.to_string()])?;
    let target = Path::new(&folder).join("phrases.rs");
    std::fs::write(&target, emit::generate_source(&LANGUAGES, &files))
        .map_err(|error| vec![format!("{} cannot be written: {error}", target.display())])
}
