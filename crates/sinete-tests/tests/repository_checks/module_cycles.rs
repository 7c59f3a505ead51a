//! The top modules of a crate use each other in one direction. A cycle that remains is listed here with its reason, and a listed
//! cycle that is gone is removed from the list.
//!
//! Every path that begins with `crate` or `super` counts, in imports and elsewhere, except in comments, in text and in test
//! modules. The root of a crate only declares and re-exports its modules, so it is not one of them: a name that the root
//! re-exports counts as the module that defines it.

use super::rust_paths::{RustPath, mask_source, paths};
use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};
use std::collections::{BTreeMap, BTreeSet};

/// The cycles that remain: the crate, its modules in alphabetical order, and why they depend on each other.
const KNOWN_CYCLES: &[(&str, &[&str], &str)] = &[(
    "sinete-engine",
    &["oauth", "sign_in"],
    "an authorization request starts a flow, and each step of a flow evaluates the authorization request again; the end of \
     a session is signed for its clients, and a client ends sessions",
)];

/// Where a module uses another one.
type ModuleEdges = BTreeMap<(String, String), Vec<String>>;

/// The source of a crate, without test modules.
struct CrateSource<'a> {
    name: &'a str,
    /// The path of each module, its file and its text. The root has an empty path.
    modules: Vec<(Vec<&'a str>, &'a File, String)>,
}

/// The path of the module that a file holds, from the root of its crate.
fn module_path(file: &File) -> Option<Vec<&str>> {
    let (_, inside) = file.path.split_once("/src/")?;
    let parts: Vec<&str> = inside.strip_suffix(".rs")?.split('/').collect();
    Some(if parts == ["lib"] { Vec::new() } else { parts })
}

/// The modules that are declared for tests only, as paths from the root.
fn test_modules(module: &[&str], text: &str) -> Vec<Vec<String>> {
    let mut lines = text.lines().skip_while(|line| *line != "#[cfg(test)]");
    let mut module_paths = Vec::new();
    while lines.next().is_some() {
        let declared = lines.by_ref().find(|line| !line.starts_with("#["));
        let name = declared.and_then(|line| {
            let line = line.strip_prefix("pub(crate) ").or(line.strip_prefix("pub ")).unwrap_or(line);
            line.strip_prefix("mod ")?.strip_suffix(';')
        });
        module_paths.extend(
            name.map(|name| module.iter().copied().chain([name]).map(str::to_owned).collect::<Vec<_>>()),
        );
        while lines.clone().next().is_some_and(|line| line != "#[cfg(test)]") {
            lines.next();
        }
    }
    module_paths
}

fn crate_sources(files: &[File]) -> Vec<CrateSource<'_>> {
    let mut by_crate: BTreeMap<&str, Vec<(Vec<&str>, &File)>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let is_program = file.path.contains("/src/bin/");
        if let (Some(name), Some(path), false) = (file.crate_folder(), module_path(file), is_program) {
            by_crate.entry(name).or_default().push((path, file));
        }
    }
    let sources = by_crate.into_iter().map(|(name, crate_files)| {
        let tests: Vec<Vec<String>> =
            crate_files.iter().flat_map(|(path, file)| test_modules(path, &file.text)).collect();
        let is_test = |path: &[&str]| tests.iter().any(|test| path.starts_with(&test_path(test)));
        let product_files = crate_files.into_iter().filter(|(path, _)| !is_test(path));
        let modules = product_files.map(|(path, file)| (path, file, mask_source(&file.text))).collect();
        CrateSource { name, modules }
    });
    sources.collect()
}

fn test_path(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

/// Which top module each top module of a crate uses, and where.
fn module_edges(source: &CrateSource<'_>) -> ModuleEdges {
    let top: BTreeSet<&str> = source.modules.iter().filter_map(|(path, ..)| path.first().copied()).collect();
    let root = source.modules.iter().find(|(path, ..)| path.is_empty());
    let exported: BTreeMap<String, String> = root
        .iter()
        .flat_map(|(.., text)| paths(text))
        .filter_map(|path| {
            let module = path.segments.iter().find(|part| *part != "crate" && *part != "self")?;
            top.contains(module.as_str()).then(|| (path.name.clone(), module.clone()))
        })
        .collect();
    let own_name = source.name.replace('-', "_");
    let mut edges = ModuleEdges::new();
    for (module, file, text) in &source.modules {
        let Some(from) = module.first() else { continue };
        for path in paths(text) {
            let Some(first) = first_segment(&path, module, &own_name) else { continue };
            let to = if top.contains(first.as_str()) { Some(&first) } else { exported.get(&first) };
            if let Some(to) = to.filter(|to| *to != from) {
                let location = format!("{}:{}", file.path, path.line);
                let places: &mut Vec<String> = edges.entry(((*from).to_owned(), to.clone())).or_default();
                if places.last() != Some(&location) {
                    places.push(location);
                }
            }
        }
    }
    edges
}

/// The first segment of a path from the root of its own crate, if it leads there.
fn first_segment(path: &RustPath, module: &[&str], own_name: &str) -> Option<String> {
    let first = path.segments.first()?;
    if first == "crate" || first == own_name {
        return path.segments.get(1).cloned();
    }
    let up = path.segments.iter().take_while(|part| *part == "super").count();
    let above = module.len().checked_sub(up).filter(|_| up > 0)?;
    module[..above].first().map(|part| (*part).to_owned()).or_else(|| path.segments.get(up).cloned())
}

/// The groups of modules in which each one reaches each other one.
fn cycles(edges: &ModuleEdges) -> Vec<Vec<String>> {
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in edges.keys() {
        reached.entry(from).or_default().insert(to);
    }
    loop {
        let before: usize = reached.values().map(BTreeSet::len).sum();
        let previous_reach = reached.clone();
        for targets in reached.values_mut() {
            let new_targets: Vec<&str> =
                targets.iter().filter_map(|to| previous_reach.get(to)).flatten().copied().collect();
            targets.extend(new_targets);
        }
        if reached.values().map(BTreeSet::len).sum::<usize>() == before {
            break;
        }
    }
    let meets = |one: &str, other: &str| reached.get(one).is_some_and(|targets| targets.contains(other));
    let groups: BTreeSet<Vec<String>> = reached
        .keys()
        .filter(|one| meets(one, one))
        .map(|one| {
            let both = |other: &&&str| meets(one, other) && meets(other, one);
            reached.keys().filter(both).map(|other| (*other).to_owned()).collect()
        })
        .collect();
    groups.into_iter().collect()
}

/// Every use that holds a cycle together, a few places of each.
fn describe(cycle: &[String], edges: &ModuleEdges) -> String {
    let inside = |(from, to): &(String, String)| cycle.contains(from) && cycle.contains(to);
    let uses = edges.iter().filter(|(edge, _)| inside(edge)).map(|((from, to), places)| {
        format!("  {from} uses {to} on {} lines: {}", places.len(), places[..places.len().min(5)].join(", "))
    });
    uses.collect::<Vec<_>>().join("\n")
}

fn complaints(files: &[File], known_cycles: &[(&str, &[&str], &str)]) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut found_cycles: BTreeSet<(String, Vec<String>)> = BTreeSet::new();
    for source in crate_sources(files) {
        let edges = module_edges(&source);
        for cycle in cycles(&edges) {
            if !known_cycles.iter().any(|(name, modules, _)| *name == source.name && *modules == cycle) {
                let uses = describe(&cycle, &edges);
                complaints.push(format!("{} has a cycle of {}:\n{uses}", source.name, cycle.join(", ")));
            }
            found_cycles.insert((source.name.to_owned(), cycle));
        }
    }
    for (name, modules, reason) in known_cycles {
        let cycle_modules: Vec<String> = modules.iter().map(|it| (*it).to_owned()).collect();
        if !found_cycles.contains(&((*name).to_owned(), cycle_modules.clone())) {
            complaints.push(format!("{name} no longer has the listed cycle of {}", cycle_modules.join(", ")));
        }
        if reason.is_empty() {
            complaints.push(format!("the cycle of {} in {name} has no reason", cycle_modules.join(", ")));
        }
    }
    complaints
}

#[test]
fn module_cycles_between_top_modules_are_listed() {
    let files = files();
    let source_count = crate_sources(&files).len();
    assert!(source_count >= 8, "only {source_count} crates were found");
    expect_silence(&complaints(&files, KNOWN_CYCLES));
}

#[test]
fn module_cycle_check_finds_a_cycle_and_one_that_is_gone() {
    let tree = |accounts: &str| {
        [
            sample("crates/a/src/lib.rs", "mod accounts;\nmod oauth;\npub use oauth::token::Token;\n"),
            sample("crates/a/src/accounts.rs", accounts),
            sample("crates/a/src/oauth/token.rs", "use super::super::accounts::Account;\n"),
        ]
    };
    let known_cycle: (&str, &[&str], &str) = ("a", &["accounts", "oauth"], "it is explained");
    for without in [
        "// crate::oauth\nconst A: &str = \"crate::oauth\";\n",
        "#[cfg(test)]\nmod tests {\n    use crate::oauth::token::Token;\n}\n",
        "use crate::accounts::contacts;\nuse other::oauth;\n",
    ] {
        expect_silence(&complaints(&tree(without), &[]));
        expect_complaint(&complaints(&tree(without), &[known_cycle]), "no longer has the listed cycle");
    }
    for with in [
        "use crate::{id::Id, oauth::{self, token}};\n",
        "fn a() { crate::oauth::token::mint(); }\n",
        "use crate::Token;\n",
        "use a::oauth::token;\n",
    ] {
        expect_complaint(
            &complaints(&tree(with), &[]),
            "accounts uses oauth on 1 lines: crates/a/src/accounts.rs:1",
        );
        expect_silence(&complaints(&tree(with), &[known_cycle]));
        expect_complaint(&complaints(&tree(with), &[("a", &["accounts", "oauth"], "")]), "has no reason");
    }
}

#[test]
fn module_cycle_check_leaves_out_files_of_test_modules() {
    let tree = [
        sample("crates/a/src/lib.rs", "mod accounts;\nmod oauth;\n"),
        sample("crates/a/src/oauth.rs", "use crate::accounts::Account;\n"),
        sample("crates/a/src/accounts.rs", "#[cfg(test)]\nmod tests;\n"),
        sample("crates/a/src/accounts/tests.rs", "use crate::oauth::Token;\n"),
    ];
    expect_silence(&complaints(&tree, &[]));
    let shipped =
        [&tree[..2], &[sample("crates/a/src/accounts.rs", "mod tests;\n"), tree[3].clone()]].concat();
    expect_complaint(&complaints(&shipped, &[]), "crates/a/src/accounts/tests.rs:1");
}
