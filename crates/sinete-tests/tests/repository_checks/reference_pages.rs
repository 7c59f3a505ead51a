//! The pages of permissions and of limits match the code: every permission of Sinete with the built-in roles
//! that hold it, and the value of every limit that the page names.

use super::markdown::{cells, code_spans};
use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};
use sinete_core::access_control::permission_catalog::{BuiltInRole, PERMISSION_CATALOG, PermissionReach};
use sinete_core::organization_kind::OrganizationKind;
use std::collections::BTreeMap;

const PERMISSIONS: &str = "docs/reference/permissions.md";
const LIMITS: &str = "docs/reference/limits.md";
const LIMITS_SOURCE: &str = "crates/sinete-core/src/limits";

/// The built-in roles that hold a permission, as the page writes them.
fn holders(permission: &str, reach: PermissionReach) -> String {
    if reach == PermissionReach::Assignment {
        return "an assignment".to_owned();
    }
    let kind = match reach {
        PermissionReach::Instance => OrganizationKind::Operator,
        _ => OrganizationKind::Customer,
    };
    let holds = |role: &&BuiltInRole| {
        role.permissions(kind).iter().any(|role_permission| role_permission.as_str() == permission)
    };
    let roles = BuiltInRole::for_organization_kind(kind).iter().filter(holds);
    roles.map(|role| format!("`{}`", role.name())).collect::<Vec<_>>().join(", ")
}

fn permissions_off(page: &str) -> Vec<String> {
    let table_rows: Vec<_> = page
        .lines()
        .filter_map(cells)
        .filter(|row| row.len() == 3 && code_spans(row[0]).iter().any(|it| it.contains(':')))
        .map(|row| format!("{} | {}", row[0], row[2]))
        .collect();
    let expected: Vec<_> = PERMISSION_CATALOG
        .iter()
        .map(|it| format!("`{}` | {}", it.permission, holders(it.permission, it.reach)))
        .collect();
    let missing = expected.iter().filter(|row| !table_rows.contains(row));
    let strange = table_rows.iter().filter(|row| !expected.contains(row));
    missing
        .map(|row| format!("{PERMISSIONS} lacks: {row}"))
        .chain(strange.map(|row| format!("{PERMISSIONS} has a row that is not true: {row}")))
        .collect()
}

/// How the page writes the value of a constant: with its unit.
fn display(name: &str, expression: &str) -> Option<String> {
    if let Some(lifetime) = expression.strip_prefix("Lifetime::from_") {
        let (unit, number) = lifetime.strip_suffix(')')?.split_once('(')?;
        let unit = if number == "1" { unit.trim_end_matches('s') } else { unit };
        return Some(format!("{number} {unit}"));
    }
    let mut value = 1_u64;
    for factor in expression.split('*') {
        value *= factor.trim().replace('_', "").parse::<u64>().ok()?;
    }
    let grouped = || {
        let digits = value.to_string();
        let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
        groups.join(",")
    };
    Some(match value {
        _ if !name.contains("BYTES") => grouped(),
        _ if value.is_multiple_of(1024 * 1024) => format!("{} MiB", value / 1024 / 1024),
        _ if value.is_multiple_of(1024) => format!("{} KiB", value / 1024),
        _ => format!("{} bytes", grouped()),
    })
}

/// The constants of the limits with their values, as the page writes them.
fn limits(files: &[File]) -> BTreeMap<String, String> {
    let sources = files.iter().filter(|file| file.is_rust() && file.path.starts_with(LIMITS_SOURCE));
    let lines = sources.flat_map(|file| file.text.lines());
    lines
        .filter_map(|line| {
            let (name, rest) = line.strip_prefix("pub const ")?.split_once(": ")?;
            let (_, expression) = rest.strip_suffix(';')?.split_once(" = ")?;
            Some((name.to_owned(), display(name, expression)?))
        })
        .collect()
}

fn limits_off(page: &str, limits: &BTreeMap<String, String>) -> Vec<String> {
    let rows = page.lines().filter_map(cells).filter(|row| row.len() == 3 && row[2].starts_with('`'));
    rows.filter_map(|row| {
        let name = row[2].trim_matches('`');
        match limits.get(name) {
            None => Some(format!("{LIMITS} names {name}, which is no limit")),
            Some(value) if value != row[1] => Some(format!("{LIMITS}: {name} is {value}, not {}", row[1])),
            Some(_) => None,
        }
    })
    .collect()
}

fn page(files: &[File], path: &str) -> String {
    files.iter().find(|file| file.path == path).map(|file| file.text.clone()).unwrap()
}

#[test]
fn permission_reference_lists_every_permission_and_its_holders() {
    expect_silence(&permissions_off(&page(&files(), PERMISSIONS)));
}

#[test]
fn limit_reference_has_the_values_of_the_code() {
    let files = files();
    let limits = limits(&files);
    assert!(limits.len() > 200, "the limits were not read");
    let text = page(&files, LIMITS);
    assert!(text.lines().filter_map(cells).count() > 100, "the page was not read");
    expect_silence(&limits_off(&text, &limits));
}

#[test]
fn reference_page_check_finds_a_wrong_row() {
    let files = files();
    let text = page(&files, PERMISSIONS);
    let without: String =
        text.lines().filter(|line| !line.contains("`roles:manage`")).collect::<Vec<_>>().join("\n");
    expect_complaint(&permissions_off(&without), "lacks: `roles:manage`");
    expect_complaint(&permissions_off(&format!("{text}| `a:b` | See | `owner` |\n")), "not true: `a:b`");

    let source = "pub const CODES_MAX: usize = 1_000;\npub const BODY_BYTES_MAX: usize = 2 * 1024;\n\
        pub const WAIT: Lifetime = Lifetime::from_hours(1);\n";
    let limits = limits(&[sample("crates/sinete-core/src/limits.rs", source)]);
    let row = |value: &str, name: &str| limits_off(&format!("| A | {value} | `{name}` |\n"), &limits);
    for (value, name) in [("1,000", "CODES_MAX"), ("2 KiB", "BODY_BYTES_MAX"), ("1 hour", "WAIT")] {
        expect_silence(&row(value, name));
    }
    expect_complaint(&row("100", "CODES_MAX"), "is 1,000, not 100");
    expect_complaint(&row("1", "GONE_MAX"), "no limit");
}
