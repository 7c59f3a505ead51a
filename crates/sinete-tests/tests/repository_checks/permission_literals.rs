//! A built-in permission is named by its constant, so that a misspelled one does not compile.

use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};
use sinete_core::access_control::permission_catalog::PERMISSION_CATALOG;

/// Where the permissions are named.
const CATALOGUE_FILE: &str = "crates/sinete-core/src/access_control/built_in_permissions.rs";

/// Crates that are not checked, and why.
const UNCHECKED: &[(&str, &str)] =
    &[("sinete-screens", "it depends on no crate of ours, and only its previews show permissions")];

fn literals(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.is_product() && file.path != CATALOGUE_FILE) {
        if UNCHECKED.iter().any(|(name, _)| file.crate_folder() == Some(*name))
            || file.path.contains("/tests/")
        {
            continue;
        }
        let code = without_raw_text(&file.code());
        let has_literal = |permission: &str| code.contains(&format!("\"{permission}\""));
        for permission in
            PERMISSION_CATALOG.iter().map(|built_in| built_in.permission).filter(|it| has_literal(it))
        {
            complaints.push(format!("{} writes \"{permission}\" instead of its constant", file.path));
        }
    }
    complaints
}

/// The code without raw text, which holds examples of documents.
fn without_raw_text(code: &str) -> String {
    ["##", "#"].iter().fold(code.to_owned(), |code, hashes| {
        let (start, end) = (format!("r{hashes}\""), format!("\"{hashes}"));
        let mut parts = code.split(&start);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |remaining_code, part| {
            remaining_code + part.split_once(&end).map_or("", |(_, after)| after)
        })
    })
}

#[test]
fn permissions_are_named_by_their_constants() {
    let files = files();
    let catalogue = files.iter().find(|file| file.path == CATALOGUE_FILE).unwrap();
    for built_in in PERMISSION_CATALOG {
        let literal = format!("&str = \"{}\";", built_in.permission);
        assert!(catalogue.text.contains(&literal), "{} has no constant", built_in.permission);
    }
    expect_silence(&literals(&files));
}

#[test]
fn permission_check_finds_a_literal() {
    let inside = |path: &str, text: &str| literals(&[sample(path, text)]);
    let path = "crates/sinete-store/src/organizations.rs";
    expect_complaint(&inside(path, "acting.require(\"members:manage\")?;\n"), "members:manage");
    for fine in [
        "acting.require(MANAGE_MEMBERS)?;\n",
        "// \"members:manage\"\n",
        "#[cfg(test)]\nmod tests {\n    const A: &str = \"members:manage\";\n}\n",
        "const A: &str = \"invoices:manage\";\n",
        "const A: &str = r#\"{\"scope\": \"members:manage\"}\"#;\n",
    ] {
        expect_silence(&inside(path, fine));
    }
    expect_silence(&inside(CATALOGUE_FILE, "pub const MANAGE_MEMBERS: &str = \"members:manage\";\n"));
}
