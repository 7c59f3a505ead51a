//! The recipes list the files that a change touches, each by an example that exists. The lists are complete, and not long.

use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};
use std::collections::BTreeSet;

/// A recipe with an example.
struct RecipeExample {
    /// The heading in the document.
    heading: &'static str,
    /// How code names the example.
    names: &'static [&'static str],
    /// The most files that the recipe may list.
    files_max: usize,
}

const EXAMPLES: [RecipeExample; 3] = [
    RecipeExample {
        heading: "## Add a grant type",
        names: &["GrantType::DeviceCode", "AuthorizationGrant::DeviceCode", "grant-type:device_code"],
        files_max: 12,
    },
    RecipeExample {
        heading: "## Add a management resource",
        names: &["assignments::", "mod assignments", "\"assignments\"", "FROM assignments"],
        files_max: 12,
    },
    RecipeExample { heading: "## Add a setting", names: &["dns_servers"], files_max: 3 },
];

/// The files that a recipe lists to change, and those that it lists as users of the example.
#[derive(Debug, Default, PartialEq, Eq)]
struct ListedFiles {
    changed: BTreeSet<String>,
    users: BTreeSet<String>,
}

fn listed_files(document: &str, heading: &str) -> Option<ListedFiles> {
    let section = document.split_once(&format!("{heading}\n"))?.1;
    let section = section.split("\n## ").next().unwrap_or(section);
    let (mut listed_files, mut is_user) = (ListedFiles::default(), false);
    for line in section.lines() {
        is_user |= line.starts_with("**Used by**");
        let path = line.strip_prefix("- `").and_then(|rest| rest.split('`').next());
        if let Some(path) = path.filter(|path| path.ends_with(".rs")) {
            let list = if is_user { &mut listed_files.users } else { &mut listed_files.changed };
            list.insert(format!("crates/{path}"));
        }
    }
    Some(listed_files)
}

fn complaints(files: &[File], document: &str, examples: &[RecipeExample]) -> Vec<String> {
    let mut complaints = Vec::new();
    for RecipeExample { heading, names, files_max } in examples {
        let Some(recipe_files) = listed_files(document, heading) else {
            complaints.push(format!("there is no recipe {heading:?}"));
            continue;
        };
        if recipe_files.changed.len() > *files_max {
            complaints.push(format!(
                "{heading:?} takes {} files, more than {files_max}",
                recipe_files.changed.len()
            ));
        }
        let naming = files.iter().filter(|file| file.is_product()).filter(|file| {
            let code = file.code();
            names.iter().any(|name| code.contains(name))
        });
        let naming: BTreeSet<String> = naming.map(|file| file.path.clone()).collect();
        let all: BTreeSet<String> = recipe_files.changed.union(&recipe_files.users).cloned().collect();
        complaints.extend(naming.difference(&all).map(|path| format!("{heading:?} does not list {path}")));
        complaints.extend(
            all.difference(&naming).map(|path| format!("{heading:?} lists {path}, which does not name it")),
        );
    }
    complaints
}

#[test]
fn recipes_list_every_file_of_their_example_and_few() {
    let files = files();
    let document = files.iter().find(|file| file.path == "docs/contribute/recipes.md").unwrap();
    expect_silence(&complaints(&files, &document.text, &EXAMPLES));
}

#[test]
fn recipe_check_finds_missing_superfluous_and_too_many_files() {
    let example = |files_max| [RecipeExample { heading: "## Add a key", names: &["kid"], files_max }];
    let tree = [
        sample("crates/sinete/src/a.rs", "const A: &str = kid;\n"),
        sample("crates/sinete/src/b.rs", "fn b() { kid(); }\n"),
        sample("crates/sinete/src/c.rs", "// kid\n"),
    ];
    let document = "# Recipes\n\n## Add a key\n\n- `sinete/src/a.rs`: it\n\n**Used by**\n\n- `sinete/src/b.rs`\n\n## More\n";
    expect_silence(&complaints(&tree, document, &example(1)));
    expect_complaint(&complaints(&tree, document, &example(0)), "takes 1 files, more than 0");
    let without = document.replace("- `sinete/src/b.rs`\n", "");
    expect_complaint(&complaints(&tree, &without, &example(1)), "does not list crates/sinete/src/b.rs");
    let with = document.replace("src/b.rs`\n", "src/b.rs`\n- `sinete/src/c.rs`\n");
    expect_complaint(&complaints(&tree, &with, &example(1)), "lists crates/sinete/src/c.rs");
    expect_complaint(&complaints(&tree, "# Recipes\n", &example(1)), "there is no recipe");
}
