//! No function takes a destructured tuple: parameters that are separate are passed separately, and parameters that belong
//! together have a type (docs/contribute/style.md).

use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};

fn destructured_tuples(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && file.path.starts_with("crates/")) {
        let lines = file.text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code = lines.collect::<Vec<_>>().join("\n");
        for function in code.split("fn ").skip(1) {
            let name =
                function.split(|character: char| !character.is_alphanumeric() && character != '_').next();
            let name = name.unwrap_or_default();
            if !name.is_empty() && takes_destructured_tuple(&function[name.len()..]) {
                complaints.push(format!("{}: {name} takes a destructured tuple", file.path));
            }
        }
    }
    complaints
}

/// Whether a pattern of the parameter list is a tuple. The text starts after the name of the function, with its generic
/// parameters or with the list.
fn takes_destructured_tuple(text: &str) -> bool {
    let (mut brackets, mut generics, mut before) = (0, 0, ' ');
    let mut starts_pattern = false;
    for character in text.chars() {
        if starts_pattern && brackets == 1 && character == '(' {
            return true;
        }
        starts_pattern &= character.is_whitespace() || character == '&';
        match character {
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets -= 1,
            '<' => generics += 1,
            '>' if before != '-' => generics -= 1,
            _ if brackets == 0 && generics == 0 => return false,
            _ => {}
        }
        if generics == 0 && brackets == 1 && matches!(character, '(' | ',') {
            starts_pattern = true;
        }
        if generics == 0 && brackets == 0 && character == ')' {
            return false;
        }
        before = character;
    }
    false
}

#[test]
fn functions_take_no_destructured_tuples() {
    expect_silence(&destructured_tuples(&files()));
}

#[test]
fn destructured_tuple_check_finds_one() {
    // Written in two parts, so that the rule does not find itself.
    let tuple = concat!("(", "c, d): (C, D)");
    for bad in [
        format!("fn a({tuple}) {{}}\n"),
        format!(
            "    async fn a(\n        &self,\n        b: Map<B, (C, D)>,\n        {tuple},\n    ) {{}}\n"
        ),
        format!("fn a<F: Fn(B) -> C>(b: &F, &{tuple}) {{}}\n"),
    ] {
        for path in ["crates/sinete-core/src/a.rs", "crates/sinete-tests/tests/a.rs"] {
            expect_complaint(&destructured_tuples(&[sample(path, &bad)]), "a takes a destructured tuple");
        }
    }
    let good = [
        "fn a(b: (C, D), State(c): State<C>, d: impl Fn((C, D)) -> (C, D)) -> (C, D) {}\n".to_owned(),
        "fn a(b: Map<B, (C, D)>, c: &(dyn Fn(B) + Send)) {\n    b.map(|(c, d)| e(c, (c, d)));\n}\n"
            .to_owned(),
        format!("// fn a({tuple}) {{}}\n"),
    ];
    for good in good {
        expect_silence(&destructured_tuples(&[sample("crates/sinete-core/src/a.rs", &good)]));
    }
}
