//! Tests of the errors that the build reports for an invalid message file.

#![expect(dead_code, reason = "the build script uses the rest")]

#[path = "../build/messages.rs"]
mod messages;

use messages::Messages;

const ENGLISH: &str = "## sign-in: Sign-in.\n\nsign-in-title = Sign in\nsign-in-to-continue = to continue to { $application }\n";

fn read(path: &str, text: &str) -> (Messages, Vec<String>) {
    let mut problems = Vec::new();
    let read = Messages::parse(path, text, &mut problems);
    (read, problems)
}

fn compare_with_english(translated: &str) -> Vec<String> {
    let (english, _) = read("en.ftl", ENGLISH);
    let (other, mut problems) = read("es.ftl", translated);
    english.compare(&other, &mut problems);
    problems
}

#[test]
fn message_file_with_the_same_keys_and_arguments_is_accepted() {
    let spanish =
        "## sign-in\n\nsign-in-title = Iniciar sesión\nsign-in-to-continue = para ir a { $application }\n";
    assert_eq!(compare_with_english(spanish), [""; 0]);
}

#[test]
fn message_file_that_lacks_a_key_is_reported() {
    let problems = compare_with_english("## sign-in\n\nsign-in-title = Iniciar sesión\n");
    assert_eq!(problems, ["es.ftl lacks sign-in-to-continue"]);
}

#[test]
fn message_file_with_a_key_that_english_lacks_is_reported() {
    let problems = compare_with_english(&format!("{ENGLISH}sign-in-old = Antiguo\n"));
    assert_eq!(problems, ["es.ftl has sign-in-old, which en.ftl does not have"]);
}

#[test]
fn message_with_another_argument_is_reported_for_both_files() {
    let problems = compare_with_english(&ENGLISH.replace("$application", "$aplicacion"));
    assert_eq!(
        problems,
        [
            "es.ftl: sign-in-to-continue lacks the argument $application",
            "en.ftl: sign-in-to-continue lacks the argument $aplicacion"
        ]
    );
}

#[test]
fn message_file_without_a_phrase_uses_its_base_language() {
    let (base, _) = read("pt-BR.ftl", ENGLISH);
    let (mut european, _) = read("pt-PT.ftl", "## sign-in\n\nsign-in-title = Iniciar sessão\n");
    european.add_missing_from(&base);
    let mut problems = Vec::new();
    base.compare(&european, &mut problems);
    assert!(problems.is_empty() && european.phrases.len() == 2);
}

#[test]
fn message_file_with_unsupported_or_malformed_syntax_is_reported() {
    for (text, expected) in [
        ("## sign-in\n\n-brand = Sinete\n", "is a term"),
        ("## sign-in\n\nsign-in-title = { sign-in-lead }\n", "reference or function"),
        ("## sign-in\n\nsign-in-title = { NUMBER($count) }\n", "reference or function"),
        ("## sign-in\n\nother-title = Sign in\n", "does not begin with the name of its group"),
        ("## sign-in\n\nsign-in-title = One\nsign-in-title = Two\n", "is there twice"),
        ("## sign-in\n\nsign-in-title = { $count\n", "near line"),
        (
            "## sign-in\n\nsign-in-title =\n    { $count ->\n        [few] { $count }\n       *[other] { $count }\n    }\n",
            "the variant [few]",
        ),
    ] {
        let (_, problems) = read("es.ftl", text);
        assert!(problems.iter().any(|it| it.contains(expected)), "{expected}: {problems:?}");
    }
}
