//! Statements that decide which identity provider may sign a member in are called in a few places, each of which checks
//! who may: claiming a pending membership, and connecting an identity provider (decisions 0221 and 0243). A new caller
//! or a new statement must be added to the lists below together with the rule that it checks.

use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};

/// Functions of a store module, and the files that may call them.
struct GuardedCalls {
    folder: &'static str,
    module: &'static str,
    functions: &'static [&'static str],
    callers: &'static [&'static str],
}

const CALLS: &[GuardedCalls] = &[
    // With an invitation that offers every role of the membership.
    GuardedCalls {
        folder: "organizations",
        module: "memberships",
        functions: &["claim_membership"],
        callers: &["crates/sinete-store/src/organizations/invitations.rs"],
    },
    GuardedCalls {
        folder: "organizations",
        module: "invitations",
        functions: &["accept_invitation"],
        callers: &["crates/sinete-engine/src/organizations/invitations/accept.rs"],
    },
    // Through a connection that an owner confirmed.
    GuardedCalls {
        folder: "organizations",
        module: "memberships",
        functions: &["claim_membership_through_connection"],
        callers: &["crates/sinete-engine/src/sign_in/flows/identity_resolution.rs"],
    },
    // By an owner, or with `sso:manage` where that is enough.
    GuardedCalls {
        folder: "identity_providers",
        module: "connections",
        functions: &[
            "create_connection",
            "change_connection",
            "replace_prepared_connection",
            "replace_connection_secret",
            "remove_connection",
            "assign_domain",
            "reassign_domain",
            "release_domain",
            "release_connection_domains",
        ],
        callers: &[
            "crates/sinete-engine/src/identity_providers/connections.rs",
            "crates/sinete-engine/src/identity_providers/connections/domains.rs",
            // Disabled and not confirmed, until an owner confirms the set-up link.
            "crates/sinete-engine/src/identity_providers/connections/preparation.rs",
        ],
    },
];

/// Prepares every single-use value for the concurrency tests.
const CONTRACT: &str = "crates/sinete-store/src/single_use/";

/// Statements of the store: how they begin, what they write, and the files that contain them.
const STATEMENTS: &[(&str, &str, &[&str])] = &[
    (
        "UPDATE memberships SET ",
        "account_id =",
        &["crates/sinete-store/src/organizations/memberships/claim.rs"],
    ),
    ("INSERT INTO connections ", "", &["crates/sinete-store/src/identity_providers/connections.rs"]),
    // Secrets are encrypted again when the instance key is replaced.
    (
        "UPDATE connections SET ",
        "",
        &[
            "crates/sinete-store/src/identity_providers/connections.rs",
            "crates/sinete-store/src/platform/encrypted_columns.rs",
        ],
    ),
    (
        "UPDATE domains SET ",
        "connection_id =",
        &["crates/sinete-store/src/identity_providers/connections/domains.rs"],
    ),
];

/// The code in one line, without line breaks in strings.
fn flat(file: &File) -> String {
    file.code().replace("\\\n", " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric() && character != '_')
}

/// The `use` items with which a file imports from the store.
fn imports<'a>(file: &File, code: &'a str) -> Vec<&'a str> {
    let of_store = |import: &&str| {
        let is_inside = file.crate_folder() == Some("sinete-store");
        import.starts_with("sinete_store::") || is_inside && import.starts_with("crate::")
    };
    code.split("use ").skip(1).filter_map(|rest| rest.split(';').next()).filter(of_store).collect()
}

/// The names under which the file uses the module: its own, or an alias.
fn names(imports: &[&str], module: &str) -> Vec<String> {
    let mut names = Vec::new();
    for import in imports.iter().filter(|import| words(import).any(|word| word == module)) {
        names.push(module.to_owned());
        for renamed in [format!("{module} as "), format!("{module}::{{self as ")] {
            let rest = import.split(&renamed).skip(1);
            names.extend(rest.filter_map(|rest| words(rest).next()).map(str::to_owned));
        }
    }
    names
}

/// Which of the functions the file calls, under any of their names.
fn called(file: &File, guarded: &GuardedCalls) -> Vec<String> {
    let (code, module) = (flat(file), guarded.module);
    let imports = imports(file, &code);
    let names = names(&imports, module);
    let calls = |function: &&&str| {
        let by_path = code.contains(&format!("::{}::{module}::{function}(", guarded.folder));
        let by_name = names.iter().any(|name| code.contains(&format!("{name}::{function}(")));
        let is_taken = imports.iter().any(|import| {
            words(import).any(|word| word == module) && words(import).any(|word| word == **function)
        });
        by_path || by_name || is_taken
    };
    guarded.functions.iter().filter(calls).map(|function| format!("{module}::{function}")).collect()
}

fn unknown_callers(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.is_product() && !file.path.starts_with(CONTRACT)) {
        for guarded in CALLS {
            let own_path = format!("crates/sinete-store/src/{}/{}", guarded.folder, guarded.module);
            if guarded.callers.contains(&file.path.as_str()) || file.path.starts_with(&own_path) {
                continue;
            }
            complaints.extend(
                called(file, guarded)
                    .iter()
                    .map(|function_name| format!("{} calls {function_name}", file.path)),
            );
        }
    }
    complaints
}

fn unknown_statements(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.is_product()) {
        let code = flat(file);
        for (begins, writes, homes) in STATEMENTS {
            let set = |rest: &str| rest.split(" WHERE ").next().is_some_and(|set| set.contains(writes));
            if code.split(begins).skip(1).any(set) && !homes.contains(&file.path.as_str()) {
                complaints.push(format!("{} holds {begins}{writes}", file.path));
            }
        }
    }
    complaints
}

#[test]
fn trust_writes_have_known_callers_only() {
    let files = files();
    expect_silence(&unknown_callers(&files));
    expect_silence(&unknown_statements(&files));
    // A file in the lists that no longer calls the function must be removed from them.
    let find = |path: &str| files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("{path}"));
    for guarded in CALLS {
        for caller in guarded.callers {
            assert!(!called(find(caller), guarded).is_empty(), "{caller} calls none of {}", guarded.module);
        }
        let called: Vec<_> = guarded.callers.iter().flat_map(|it| called(find(it), guarded)).collect();
        for function in guarded.functions {
            let name = format!("{}::{function}", guarded.module);
            assert!(called.contains(&name), "{name} was renamed, or has no caller");
        }
    }
    for (begins, _, homes) in STATEMENTS {
        for home in *homes {
            assert!(flat(find(home)).contains(begins), "{home} holds no {begins}");
        }
    }
}

#[test]
fn trust_write_check_finds_another_caller() {
    let engine = |text: &str| [sample("crates/sinete-engine/src/other.rs", text)];
    for (text, expected_text) in [
        (
            "use sinete_store::{Act, memberships};\nfn a() { memberships::claim_membership(m, a, now) }\n",
            "memberships::claim_membership",
        ),
        (
            "fn a() {\n    sinete_store::organizations::memberships::claim_membership_through_connection(w, a, now)\n}\n",
            "claim_membership_through_connection",
        ),
        (
            "use sinete_store::organizations::memberships::{self, claim_membership};\n",
            "memberships::claim_membership",
        ),
        (
            "use sinete_store::{Act, connections as made};\nfn a() { made::create_connection(c) }\n",
            "connections::create_connection",
        ),
        (
            "use sinete_store::organizations::invitations::{self, Invitation};\nfn a() { invitations::accept_invitation(i) }\n",
            "accept_invitation",
        ),
        (
            "use sinete_store::identity_providers::connections;\nfn a() { connections::assign_domain(o, d, i) }\n",
            "connections::assign_domain",
        ),
    ] {
        expect_complaint(&unknown_callers(&engine(text)), expected_text);
    }
    let store = |text: &str| [sample("crates/sinete-store/src/other.rs", text)];
    let inside = "use crate::memberships;\nfn a() { memberships::claim_membership(m, a, now) }\n";
    expect_complaint(&unknown_callers(&store(inside)), "memberships::claim_membership");
    for (text, expected_text) in [
        ("\"UPDATE memberships SET version = 1, \\\n     account_id = ?2 WHERE id = ?1\"", "account_id"),
        ("\"INSERT INTO connections (id) VALUES (?1)\"", "INSERT INTO connections"),
        ("\"UPDATE connections SET is_confirmed = 1\"", "UPDATE connections"),
        ("\"UPDATE domains SET connection_id = ?1\"", "connection_id"),
    ] {
        expect_complaint(&unknown_statements(&store(text)), expected_text);
    }
}

#[test]
fn trust_write_check_ignores_other_calls() {
    for text in [
        "use crate::{connections, invitations};\nfn a() { connections::change_connection(engine); invitations::accept_invitation(engine) }\n",
        "use sinete_store::{connections, memberships};\nfn a() { connections::page(s); memberships::find(s) }\n",
        "use sinete_store::{memberships as kept};\nfn a() { kept::find(s) }\n",
        "use crate::connections;\nfn a() { sinete_store::connections::page(s); connections::change(engine) }\n",
    ] {
        expect_silence(&unknown_callers(&[sample("crates/sinete-engine/src/other.rs", text)]));
    }
    let text = "\"UPDATE memberships SET profile = ?2 WHERE account_id = ?1\"";
    expect_silence(&unknown_statements(&[sample("crates/sinete-store/src/other.rs", text)]));
}
