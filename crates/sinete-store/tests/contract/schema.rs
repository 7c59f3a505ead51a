//! The schema: every statement fits it, and append-only tables are append-only on both engines.

use super::both_engines;
use super::database::{Database, connect};
use super::probe::{NOW, patient};
use crate::{SqlStatement, Store, StoreAccess, all_statements, migrate};
use std::collections::BTreeSet;

both_engines!(
    statements_all_prepare,
    append_only_tables_refuse_updates_and_deletes,
    referenced_parent_rows_cannot_be_deleted,
    api_catalog_version_changes_with_every_definition_and_offer,
    dependency_version_changes_with_every_dependency_of_service_tokens
);

async fn migrated(database: &Database) -> Store {
    let store = super::probe::connect(database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
    store
}

/// The error if a statement does not name as many columns as the database returns. A statement that changes rows
/// returns none.
fn check_column_names(statement: &SqlStatement, column_count: usize) -> Option<String> {
    let name_count = statement.column_names().len();
    (column_count > 0 && name_count != column_count)
        .then(|| format!("{} names {name_count} of {column_count} columns", statement.name()))
}

async fn statements_all_prepare(database: Database) {
    migrated(&database).await;
    let mut wrong = Vec::new();
    match &database {
        Database::Sqlite(_) => {
            let connection = rusqlite::Connection::open(database.file()).unwrap();
            for statement in all_statements() {
                match connection.prepare(statement.sqlite_text()) {
                    Err(error) => wrong.push(format!("{}: {error}", statement.name())),
                    Ok(prepared) => wrong.extend(check_column_names(statement, prepared.column_count())),
                }
            }
        }
        Database::Postgres { .. } => {
            use tokio_postgres::types::Type;
            let client = connect(&database.url()).await;
            for statement in all_statements() {
                let is_a_change = !statement.postgres_text().trim_start().starts_with("SELECT");
                if is_a_change && let Err(error) = client.prepare(statement.postgres_guarded_text()).await {
                    wrong.push(format!("{}, guarded: {error:?}", statement.name()));
                }
                match client.prepare(statement.postgres_text()).await {
                    Err(error) => wrong.push(format!("{}: {error:?}", statement.name())),
                    Ok(prepared) => {
                        wrong.extend(check_column_names(statement, prepared.columns().len()));
                        let ours = [Type::TEXT, Type::INT8, Type::BYTEA];
                        if !prepared.params().iter().all(|kind| ours.contains(kind)) {
                            wrong.push(format!("{} takes {:?}", statement.name(), prepared.params()));
                        }
                        let fit =
                            |kind: &Type| ours.contains(kind) || *kind == Type::INT4 || *kind == Type::BOOL;
                        if !prepared.columns().iter().all(|column| fit(column.type_())) {
                            wrong.push(format!("{} gives {:?}", statement.name(), prepared.columns()));
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn append_only_tables_refuse_updates_and_deletes(database: Database) {
    migrated(&database).await;
    database
        .run(
            "INSERT INTO security_log (id, at, kind, actor_kind, detail) VALUES ('e1', 1, 'k', 'system', '{}');
             INSERT INTO log_chain (position, event_id, hash) VALUES (1, 'e1', 'h');
             INSERT INTO audit (id, organization_id, at, kind, actor_kind, detail)
                 VALUES ('a1', 'o1', 1, 'k', 'system', '{}');",
        )
        .await;
    for sql in [
        "UPDATE security_log SET kind = 'other'",
        "DELETE FROM security_log",
        "UPDATE log_chain SET hash = 'other'",
        "DELETE FROM log_chain WHERE position = 1",
        "UPDATE audit SET reason = 'other'",
        "DELETE FROM audit",
    ] {
        let message = database.try_run(sql).await.expect_err(sql);
        assert!(message.contains("append-only"), "{sql}: {message}");
    }
    if let Database::Postgres { .. } = database {
        for table in ["security_log", "log_chain", "audit"] {
            let message = database.try_run(&format!("TRUNCATE {table}")).await.expect_err(table);
            assert!(message.contains("append-only"), "{table}: {message}");
        }
    }
}

async fn referenced_parent_rows_cannot_be_deleted(database: Database) {
    let store = migrated(&database).await;
    database
        .run(
            "INSERT INTO accounts (id, condition, created_at, condition_at) VALUES ('a', 'enabled', 1, 1);
             INSERT INTO contacts (id, account_id, kind, address, lookup, created_at)
                 VALUES ('c', 'a', 'email', 'x@y.example', 'x@y.example', 1);",
        )
        .await;
    static REMOVE: crate::SqlStatement =
        crate::SqlStatement::new("probe.remove", "DELETE FROM accounts WHERE version = ?1");
    let removal = crate::WriteBatch::new()
        .with_statement(crate::write_batch::GuardedStatement::exactly_one(&REMOVE, [1.into()]));
    assert_eq!(store.commit(removal).await.unwrap().into_result().unwrap_err().statement(), "probe.remove");
}

/// Also for changes past our own statements: caches are valid only at this version.
async fn api_catalog_version_changes_with_every_definition_and_offer(database: Database) {
    static VERSION: crate::SqlStatement =
        crate::SqlStatement::new("probe.version", "SELECT version FROM api_catalogue");
    let store = migrated(&database).await;
    let version =
        async || store.read_first(&VERSION, &[]).await.unwrap().unwrap().integer("version").unwrap();
    let mut before = version().await;
    for sql in [
        "INSERT INTO apis (id, identifier, name, condition, created_at) VALUES ('a', 'https://a.example', 'A', 'enabled', 1)",
        "UPDATE apis SET name = 'B'",
        "INSERT INTO api_permissions (api_id, resource, action, english, place) VALUES ('a', 'r', 'x', 'Do', 0)",
        "UPDATE api_permissions SET english = 'Do it'",
        "DELETE FROM api_permissions",
        "INSERT INTO organizations (id, kind, slug, name, condition, condition_at, settings, created_at) \
         VALUES ('o', 'customer', 'o', 'O', 'enabled', 1, '{}', 1); \
         INSERT INTO api_offers (api_id, organization_id) VALUES ('a', 'o')",
        "UPDATE api_offers SET organization_id = 'o'",
        "DELETE FROM api_offers",
        "DELETE FROM apis",
    ] {
        database.run(sql).await;
        let after = version().await;
        assert!(after > before, "{sql}");
        before = after;
    }
}

/// Changes of the database, and whether service tokens depend on them.
const CHANGES: &[(&str, bool)] = &[
    // New rows have no dependents yet, and users come and go.
    (
        "INSERT INTO organizations (id, slug, name, condition, condition_at, created_at) \
      VALUES ('o', 'o', 'O', 'enabled', 1, 1)",
        false,
    ),
    (
        "INSERT INTO accounts (id, condition, created_at, condition_at) VALUES ('a', 'enabled', 1, 1), \
      ('b', 'enabled', 1, 1)",
        false,
    ),
    (
        "INSERT INTO roles (id, organization_id, name, created_at) VALUES ('r', 'o', 'clerk', 1), \
      ('q', 'o', 'guest', 1)",
        false,
    ),
    (
        "INSERT INTO clients (id, kind, name, condition, condition_at, created_at) \
      VALUES ('c', 'service', 'C', 'enabled', 1, 1)",
        false,
    ),
    ("INSERT INTO client_secrets (digest, client_id, created_at) VALUES ('s', 'c', 1)", false),
    (
        "INSERT INTO memberships (id, organization_id, account_id, client_id, condition, condition_at, created_at) \
      VALUES ('p', 'o', 'a', NULL, 'enabled', 1, 1), ('w', 'o', 'b', NULL, 'enabled', 1, 1), \
      ('m', 'o', NULL, 'c', 'enabled', 1, 1)",
        false,
    ),
    ("INSERT INTO membership_roles (membership_id, role_id) VALUES ('p', 'r'), ('p', 'q')", false),
    ("UPDATE memberships SET profile = '{}' WHERE id = 'p'", false),
    ("UPDATE memberships SET profile = '{}', version = version + 1", false),
    ("UPDATE clients SET used_at = 7, version = version", false),
    ("UPDATE organizations SET name = 'P', version = version + 1", false),
    ("UPDATE accounts SET profile = '{}', epoch = epoch + 1, version = version + 1", false),
    ("UPDATE roles SET description = 'D', version = version + 1", false),
    // Removed roles count, and so do those assigned to a user who gave a grant before.
    ("DELETE FROM membership_roles WHERE membership_id = 'p' AND role_id = 'q'", true),
    ("INSERT INTO membership_roles (membership_id, role_id) VALUES ('p', 'q')", false),
    (
        "INSERT INTO grants (id, kind, organization_id, membership_id, account_id, account_epoch, client_id, client_epoch, \
      scopes, authentication, created_at, expires_at) VALUES ('g', 'code', 'o', 'w', 'b', 0, 'c', 0, '{}', '{}', 1, 2)",
        false,
    ),
    ("INSERT INTO membership_roles (membership_id, role_id) VALUES ('w', 'q')", true),
    ("DELETE FROM membership_roles WHERE role_id = 'q'", true),
    ("DELETE FROM grants", false),
    // Changes of self-registered clients do not invalidate caches.
    (
        "INSERT INTO clients (id, kind, is_self_registered, name, condition, condition_at, created_at) \
         VALUES ('n', 'application', 1, 'N', 'enabled', 1, 1); \
         INSERT INTO client_secrets (digest, client_id, created_at) VALUES ('t', 'n', 1)",
        false,
    ),
    ("UPDATE clients SET version = version + 1, metadata = '{\"b\":1}' WHERE id = 'n'", false),
    ("UPDATE client_secrets SET revoked_at = 1 WHERE client_id = 'n'", false),
    ("DELETE FROM client_secrets WHERE client_id = 'n'", false),
    ("DELETE FROM clients WHERE id = 'n'", false),
    // The service and its owner. The owner may change at the same time, so every membership counts.
    ("UPDATE memberships SET condition = 'suspended' WHERE id = 'p'", true),
    ("UPDATE clients SET condition = 'suspended'", true),
    ("UPDATE clients SET epoch = epoch + 1", true),
    ("UPDATE clients SET version = version + 1", true),
    ("UPDATE clients SET metadata = '{\"a\":1}'", true),
    ("UPDATE clients SET scope = 'x:y'", true),
    ("UPDATE clients SET organization_id = 'o'", true),
    ("UPDATE clients SET owner_id = 'w'", true),
    ("UPDATE memberships SET condition = 'suspended' WHERE id = 'w'", true),
    ("UPDATE memberships SET account_id = NULL WHERE id = 'w'", true),
    ("UPDATE accounts SET condition = 'suspended' WHERE id = 'a'", true),
    ("UPDATE client_secrets SET expires_at = 7", true),
    ("UPDATE client_secrets SET revoked_at = 7", true),
    // Its membership, and its permissions.
    ("UPDATE memberships SET condition = 'suspended' WHERE id = 'm'", true),
    ("INSERT INTO membership_roles (membership_id, role_id) VALUES ('m', 'r')", true),
    ("UPDATE membership_roles SET role_id = 'q' WHERE membership_id = 'm'", true),
    ("UPDATE roles SET permissions = '[\"x:y\"]'", true),
    ("UPDATE roles SET name = 'other' WHERE id = 'q'", true),
    ("UPDATE roles SET is_built_in = 1 WHERE id = 'q'", true),
    ("UPDATE roles SET removed_at = 1 WHERE id = 'q'", true),
    ("DELETE FROM membership_roles WHERE membership_id = 'm'", true),
    ("UPDATE organizations SET condition = 'suspended'", true),
    ("UPDATE organizations SET ends_at = 1", true),
    ("UPDATE organizations SET settings = '{\"a\":1}'", true),
    ("UPDATE organizations SET kind = 'home'", true),
    (
        "INSERT INTO apis (id, identifier, name, condition, created_at) \
      VALUES ('i', 'https://a.example', 'A', 'enabled', 1)",
        true,
    ),
    ("DELETE FROM apis", true),
    // Its removal.
    ("DELETE FROM client_secrets", true),
    ("DELETE FROM membership_roles", true),
    ("DELETE FROM roles", true),
    ("DELETE FROM memberships WHERE id = 'p'", true),
    ("DELETE FROM memberships WHERE id = 'w'", true),
    ("DELETE FROM memberships", true),
    ("DELETE FROM clients", true),
    ("DELETE FROM organizations WHERE id = 'o'", true),
    ("DELETE FROM accounts", true),
];

/// By any actor: a node decides again only at another version. Frequent user actions do not change it.
async fn dependency_version_changes_with_every_dependency_of_service_tokens(database: Database) {
    static VERSION: crate::SqlStatement =
        crate::SqlStatement::new("probe.version", "SELECT version FROM service_facts");
    let store = migrated(&database).await;
    let version =
        async || store.read_first(&VERSION, &[]).await.unwrap().unwrap().integer("version").unwrap();
    let mut before = version().await;
    for (sql, counts) in CHANGES {
        database.run(sql).await;
        let after = version().await;
        assert_eq!(after != before, *counts, "{sql}");
        assert!(after >= before, "{sql}");
        before = after;
    }
}

/// The statements that a file declares: each `static`, and each field of a `static` that holds several.
fn declared_statements(code: &str) -> Vec<String> {
    let list_names = |ends: &str| -> Vec<String> {
        let parts: Vec<_> = code.split(ends).collect();
        parts[..parts.len() - 1].iter().map(|it| it.rsplit([' ', '\n']).next().unwrap().to_owned()).collect()
    };
    let (mut declared, fields) = (list_names(": SqlStatement ="), list_names(": SqlStatement,"));
    let holders = [": DeferredGrantStatements =", ": CreateDelegationStatements ="];
    for holder in holders.iter().flat_map(|ends| list_names(ends)) {
        declared.extend(fields.iter().map(|field| format!("{holder}.{field}")));
    }
    declared
}

/// A statement is a `static`, and each is in its module's list, which `statements` iterates over.
#[test]
fn statements_are_all_listed() {
    let (mut declared_count, mut forgotten) = (0, Vec::new());
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            // The macro in `cleanup.rs` declares its statements together with their list, so none can be
            // missing.
            if path.ends_with("tests.rs") || path.ends_with("administration/cleanup.rs") {
                continue;
            }
            let source = std::fs::read_to_string(&path).unwrap();
            let code = source.split("#[cfg(test)]").next().unwrap();
            let list = code.split("static STATEMENTS").nth(1).unwrap_or_default();
            for name in declared_statements(code) {
                declared_count += 1;
                if !list.split([' ', '\n', ',', '[', ']']).any(|word| word.strip_prefix('&') == Some(&name)) {
                    forgotten.push(format!("{name} in {}", path.display()));
                }
            }
        }
    }
    assert!(forgotten.is_empty(), "not in the list of their module: {forgotten:?}");
    let names: BTreeSet<_> = all_statements().map(|statement| statement.name()).collect();
    assert_eq!(names.len(), all_statements().count(), "two statements share a name");
    let listed_count = names.iter().filter(|name| !name.starts_with("sweep.")).count();
    assert!(listed_count < names.len(), "the list of cleanup.rs is missing from lib.rs");
    assert_eq!(declared_count, listed_count, "the list of a module is missing from lib.rs");
}

/// No foreign key prevents the removal of these rows (decisions 0152 and 0212), so no statement may remove
/// them.
#[test]
fn rows_referenced_by_grants_are_never_deleted() {
    let deleting = |table: &str| -> Vec<_> {
        let deletes = format!("DELETE FROM {table} ");
        all_statements().filter(|it| it.sqlite_text().contains(&deletes)).collect()
    };
    for table in ["organizations", "memberships", "accounts"] {
        assert!(deleting(table).is_empty(), "{table}");
    }
    let sessions = deleting("sessions");
    assert_eq!(sessions.len(), 1);
    let ends_with_it =
        "NOT EXISTS (SELECT 1 FROM grants g WHERE g.given_in = s.id AND g.session_id IS NOT NULL)";
    assert!(sessions[0].sqlite_text().contains(ends_with_it));
    let clients = deleting("clients");
    assert_eq!(clients.len(), 1);
    for condition in [
        "c.is_self_registered = 1 AND c.condition = 'ended'",
        "NOT EXISTS (SELECT 1 FROM grants x WHERE x.client_id = c.id)",
        "NOT EXISTS (SELECT 1 FROM delegations x WHERE x.actor_client_id = c.id)",
    ] {
        assert!(clients[0].sqlite_text().contains(condition), "{condition}");
    }
}

#[test]
fn statement_parameters_are_numbered_from_one_without_gaps() {
    for statement in all_statements() {
        let sql = statement.sqlite_text();
        let mut numbers = BTreeSet::new();
        for part in sql.split('?').skip(1) {
            let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
            numbers.insert(
                digits.parse::<usize>().unwrap_or_else(|_| panic!("{} has a bare ?", statement.name())),
            );
        }
        let expected: BTreeSet<_> = (1..=numbers.len()).collect();
        assert_eq!(numbers, expected, "{}", statement.name());
        assert!(!sql.contains('$'), "{} has a parameter only PostgreSQL knows", statement.name());
    }
}
