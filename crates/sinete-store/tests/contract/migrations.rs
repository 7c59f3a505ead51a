//! Migrations are applied once, by one node, and never by a version that does not know them.

use super::both_engines;
use super::database::Database;
use super::probe::{NOW, connect, patient, put};
use crate::migrate;
use crate::migrate::{
    MIGRATIONS, MigrationList, MigrationProgress, PendingMigration, apply_migrations, load_status,
};
use crate::{Store, StoreAccess, StoreFailure, WriteBatch};
use sinete_core::id::RoleId;
use sinete_core::time::Timestamp;

const FIRST: (u32, &str, &str) = (1, "one", "CREATE TABLE one (id BIGINT PRIMARY KEY NOT NULL);");
const SECOND: (u32, &str, &str) = (2, "two", "CREATE TABLE two (id BIGINT PRIMARY KEY NOT NULL);");

both_engines!(
    migration_second_run_changes_nothing,
    migrations_started_by_several_nodes_apply_each_once,
    migration_newer_schema_is_served_only_if_it_removed_nothing_in_use,
    migration_of_evidence_with_times_stops_programs_that_cannot_read_it,
    migration_changed_after_it_was_applied_is_refused,
    migration_missing_or_unknown_is_refused,
    migration_that_fails_leaves_no_changes,
    migration_by_a_read_only_store_is_refused,
    migration_of_grants_keeps_what_references_them,
    migration_moves_codes_and_refresh_tokens_into_grants,
    migration_adds_the_roles_of_their_membership_to_pending_invitations
);

async fn beside(database: &Database) -> Store {
    connect(database, &patient(StoreAccess::AlongsideServer)).await.unwrap()
}

async fn migrate_to(store: &Store, migration_list: MigrationList) -> Result<usize, StoreFailure> {
    apply_migrations(store, migration_list, NOW, &mut |_| {}).await
}

async fn migration_second_run_changes_nothing(database: Database) {
    let store = beside(&database).await;
    let fresh = migrate::load_migration_status(&store).await.unwrap();
    assert_eq!((fresh.applied.len(), fresh.pending.len()), (0, MIGRATIONS.len()));
    let mut migration_progresses = Vec::new();
    assert_eq!(
        migrate::apply_pending_migrations(&store, NOW, &mut |it| migration_progresses.push(it)).await,
        Ok(MIGRATIONS.len())
    );
    assert_eq!(migration_progresses.len(), MIGRATIONS.len() + 1);
    assert_eq!(migration_progresses[0].next, Some(PendingMigration { version: 1, name: MIGRATIONS[0].1 }));
    let end = MigrationProgress { applied_count: MIGRATIONS.len(), total: MIGRATIONS.len(), next: None };
    assert_eq!(migration_progresses.last(), Some(&end));

    let before = migrate::load_migration_status(&store).await.unwrap();
    assert!(before.pending.is_empty() && before.applied.iter().all(|it| it.at == NOW));
    let later = Timestamp::from_seconds(1_900_000_000);
    assert_eq!(migrate::apply_pending_migrations(&store, later, &mut |_| {}).await, Ok(0));
    assert_eq!(migrate::load_migration_status(&store).await.unwrap(), before);
    assert_eq!(store.load_info().await.unwrap().schema_version, Some(MIGRATIONS.len() as u32));
}

async fn migrations_started_by_several_nodes_apply_each_once(database: Database) {
    // The SQLite file must exist before two processes can open it at the same time.
    let nodes = [beside(&database).await, beside(&database).await, beside(&database).await];
    let runs = nodes.map(|store| {
        tokio::spawn(async move { migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await })
    });
    let mut applied = 0;
    for run in runs {
        applied += run.await.unwrap().unwrap();
    }
    assert_eq!(applied, MIGRATIONS.len());
    let status = migrate::load_migration_status(&beside(&database).await).await.unwrap();
    assert_eq!((status.applied.len(), status.pending.len()), (MIGRATIONS.len(), 0));
}

async fn migration_newer_schema_is_served_only_if_it_removed_nothing_in_use(database: Database) {
    const THIRD: (u32, &str, &str) = (3, "contract_since_0002_one", "DROP TABLE one;");
    let store = beside(&database).await;
    migrate_to(&store, &[FIRST, SECOND]).await.unwrap();
    // Additions do not affect a version that does not know them.
    let status = load_status(&store, &[FIRST]).await.unwrap();
    assert_eq!((status.applied.len(), status.pending.len()), (2, 0));
    assert_eq!(migrate_to(&store, &[FIRST]).await, Ok(0));
    // The previous version did not use what was removed; the one before that did.
    migrate_to(&store, &[FIRST, SECOND, THIRD]).await.unwrap();
    assert_eq!(migrate_to(&store, &[FIRST, SECOND]).await, Ok(0));
    let too_new = StoreFailure::TooNew { applied_version: 3, known_version: 1 };
    assert_eq!(load_status(&store, &[FIRST]).await, Err(too_new.clone()));
    assert_eq!(migrate_to(&store, &[FIRST]).await, Err(too_new));
}

async fn migration_of_evidence_with_times_stops_programs_that_cannot_read_it(database: Database) {
    let contract = MIGRATIONS.iter().position(|it| it.1.ends_with("evidence_with_moments")).unwrap();
    let store = beside(&database).await;
    // Up to then it starts, also repeatedly.
    let earlier = &MIGRATIONS[..contract];
    assert_eq!(migrate_to(&store, earlier).await, Ok(contract));
    assert_eq!(migrate_to(&store, earlier).await, Ok(0));
    migrate_to(&store, &MIGRATIONS[..=contract]).await.unwrap();
    let supported_version = contract as u32;
    assert_eq!(
        migrate_to(&store, earlier).await,
        Err(StoreFailure::TooNew {
            applied_version: supported_version + 1,
            known_version: supported_version
        })
    );
    assert_eq!(
        migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await,
        Ok(MIGRATIONS.len() - contract - 1)
    );
}

async fn migration_changed_after_it_was_applied_is_refused(database: Database) {
    const CHANGED: (u32, &str, &str) = (1, "one", "CREATE TABLE one (id TEXT PRIMARY KEY NOT NULL);");
    let store = beside(&database).await;
    migrate_to(&store, &[FIRST]).await.unwrap();
    let failed = migrate_to(&store, &[CHANGED, SECOND]).await.unwrap_err();
    assert!(
        matches!(&failed, StoreFailure::Other(why) if why.starts_with("migration 1 (one) is not")),
        "{failed}"
    );
    assert_eq!(load_status(&store, &[FIRST, SECOND]).await.unwrap().pending.len(), 1);
}

async fn migration_missing_or_unknown_is_refused(database: Database) {
    const THIRD: (u32, &str, &str) = (3, "three", "CREATE TABLE three (id BIGINT PRIMARY KEY NOT NULL);");
    let store = beside(&database).await;
    migrate_to(&store, &[FIRST, THIRD]).await.unwrap();
    let failed = migrate_to(&store, &[FIRST, SECOND, THIRD]).await.unwrap_err();
    assert!(matches!(&failed, StoreFailure::Other(why) if why.contains("2 (two) is missing")), "{failed}");
    let failed = migrate_to(&store, &[THIRD]).await.unwrap_err();
    assert!(
        matches!(&failed, StoreFailure::Other(why) if why.contains("1 (one), which is not ours")),
        "{failed}"
    );
}

async fn migration_that_fails_leaves_no_changes(database: Database) {
    const BROKEN: (u32, &str, &str) =
        (2, "two", "CREATE TABLE two (id BIGINT PRIMARY KEY NOT NULL); INSERT INTO nowhere VALUES (1);");
    let store = beside(&database).await;
    let failed = migrate_to(&store, &[FIRST, BROKEN]).await.unwrap_err();
    assert!(matches!(&failed, StoreFailure::Other(why) if why.contains("nowhere")), "{failed}");
    let status = load_status(&store, &[FIRST, SECOND]).await.unwrap();
    assert_eq!((status.applied.len(), status.pending.len()), (1, 1));
    // The table of the failed migration does not exist, so the fixed one can create it.
    assert_eq!(migrate_to(&store, &[FIRST, SECOND]).await, Ok(1));
}

async fn migration_by_a_read_only_store_is_refused(database: Database) {
    migrate_to(&beside(&database).await, &[FIRST]).await.unwrap();
    let reader = connect(&database, &patient(StoreAccess::ReadOnly)).await.unwrap();
    assert_eq!(migrate_to(&reader, &[FIRST, SECOND]).await, Err(StoreFailure::ReadOnly));
    assert!(matches!(
        reader.commit(WriteBatch::new().with_statement(put(1, 1))).await,
        Err(StoreFailure::ReadOnly)
    ));
    assert_eq!(load_status(&reader, &[FIRST, SECOND]).await.unwrap().pending.len(), 1);
}

/// A grant with a code, a refresh token family and an exchange, as written before migration 0031.
const A_GRANT_OF_BEFORE: &str = "
    INSERT INTO accounts (id, condition, created_at, condition_at) VALUES ('a', 'enabled', 1, 1);
    INSERT INTO sessions (id, digest, account_id, account_epoch, evidence, authenticated_at, created_at, used_at,
        idle_expires_at, expires_at) VALUES ('s', 'x', 'a', 3, '[]', 4, 4, 4, 6, 6);
    INSERT INTO grants (id, kind, organization_id, membership_id, account_id, account_epoch, client_id, client_epoch,
        scopes, authentication, created_at, expires_at, revoked_because, session_id)
        VALUES ('g', 'code', 'o', 'm', 'a', 3, 'app', 4, '{}', '{}', 5, 6, 'why', 's');
    INSERT INTO codes (digest, grant_id, client_id, redirect_uri, challenge, request, created_at, expires_at, spent_at)
        VALUES ('c', 'g', 'app', 'https://app.example', 'x', '{\"a\":1}', 5, 6, 7);
    INSERT INTO families (id, grant_id, client_id, audience, scope, created_at, expires_at, revoked_at)
        VALUES ('f', 'g', 'app', 'https://api.example', 'openid', 5, 6, 8);
    INSERT INTO refresh_tokens (digest, family_id, generation, created_at, idle_expires_at)
        VALUES ('t', 'f', 0, 5, 6);
    INSERT INTO delegations (id, grant_id, actor_client_id, actor_epoch, audience, scope, created_at, expires_at)
        VALUES ('d', 'g', 'agent', 0, 'https://api.example', 'openid', 5, 6);";

async fn migration_of_grants_keeps_what_references_them(database: Database) {
    static LEFT: crate::SqlStatement = crate::SqlStatement::new(
        "probe.left",
        "SELECT g.account_epoch, g.client_epoch, c.spent_at, f.revoked_at, f.generation, f.newest, g.revoked_because, \
         CASE WHEN g.given_in = g.session_id THEN 1 ELSE 0 END AS is_found, c.request, d.id FROM grants g JOIN codes c ON c.grant_id = g.id \
         JOIN families f ON f.grant_id = g.id JOIN delegations d ON d.grant_id = g.id",
    );
    let store = beside(&database).await;
    migrate_to(&store, &MIGRATIONS[..30]).await.unwrap();
    // The rows that a grant refers to are not needed here; PostgreSQL does not check them.
    let lenient = if let Database::Sqlite(_) = &database { "PRAGMA foreign_keys = OFF;" } else { "" };
    database.run(&format!("{lenient}{A_GRANT_OF_BEFORE}")).await;
    migrate_to(&store, &MIGRATIONS[..34]).await.unwrap();
    let row = store.read_first(&LEFT, &[]).await.unwrap().unwrap();
    let names = ["g.account_epoch", "g.client_epoch", "c.spent_at", "f.revoked_at", "f.generation"];
    let numbers = names.map(|name| row.integer(name).unwrap());
    assert_eq!((numbers, row.optional_blob("f.newest").unwrap()), ([3, 4, 7, 8, 0], None));
    assert_eq!(
        (row.text("g.revoked_because").unwrap(), row.text("c.request").unwrap()),
        ("why", "{\"a\":1}")
    );
    assert!(row.flag("is_found").unwrap(), "it is found by the session it ends with");
    // Rows that refer to a grant still prevent its removal, and none can be added without one.
    for harm in
        ["DELETE FROM grants", "UPDATE families SET grant_id = 'x'", "UPDATE codes SET grant_id = 'x'"]
    {
        assert!(database.try_run(harm).await.is_err(), "{harm}");
    }
}

/// Grants as left before migration 0035: with an unused code, with a used one, for a device, with two codes
/// of which the older was used, with several unused ones, with ended refresh tokens, and revoked with them.
/// Each is identified by its client, and each code by its redirect URI.
const GRANTS_OF_BEFORE: &str = "
    INSERT INTO grants (id, kind, organization_id, membership_id, account_id, account_epoch, client_id, client_epoch,
        scopes, authentication, created_at, expires_at, revoked_at, revoked_because) VALUES
        ('g1', 'code', 'o', 'm', 'a', 3, 'fresh', 4, '{}', '{}', 5, 6, NULL, NULL),
        ('g2', 'code', 'o', 'm', 'a', 3, 'spent', 4, '{}', '{}', 5, 6, NULL, NULL),
        ('g3', 'device', 'o', 'm', 'a', 3, 'device', 4, '{}', '{}', 5, 6, NULL, NULL),
        ('g4', 'code', 'o', 'm', 'a', 3, 'one', 4, '{}', '{}', 5, 6, NULL, NULL),
        ('g5', 'code', 'o', 'm', 'a', 3, 'some', 4, '{}', '{}', 5, 6, NULL, NULL),
        ('g6', 'code', 'o', 'm', 'a', 3, 'ended', 4, '{}', '{}', 5, 6, NULL, NULL),
        ('g7', 'code', 'o', 'm', 'a', 3, 'revoked', 4, '{}', '{}', 5, 6, 4, 'why');
    INSERT INTO codes (digest, grant_id, client_id, redirect_uri, challenge, request, created_at, expires_at, spent_at) VALUES
        ('c0', 'g1', 'app', 'c0', 'x', '{\"a\":1}', 5, 6, NULL),
        ('c1', 'g2', 'app', 'c1', 'x', '{\"a\":1}', 5, 6, 7),
        ('c2', 'g4', 'app', 'c2', 'x', '{\"a\":1}', 4, 6, 8),
        ('c3', 'g4', 'app', 'c3', 'x', '{\"a\":1}', 5, 6, NULL),
        ('c6', 'g5', 'app', 'c6', 'x', '{\"a\":1}', 5, 6, NULL),
        ('c5', 'g5', 'app', 'c5', 'x', '{\"a\":1}', 5, 6, NULL),
        ('c4', 'g5', 'app', 'c4', 'x', '{\"a\":1}', 4, 6, NULL),
        ('c7', 'g6', 'app', 'c7', 'x', '{\"a\":1}', 5, 6, 7),
        ('c8', 'g7', 'app', 'c8', 'x', '{\"a\":1}', 5, 6, 7);
    INSERT INTO families (id, grant_id, client_id, audience, scope, created_at, expires_at, revoked_at, mark, newest) VALUES
        ('f1', 'g2', 'app', 'https://api.example', 'openid', 5, 6, NULL, 'm', 'n'),
        ('f2', 'g3', 'app', 'https://api.example', 'openid', 5, 6, NULL, 'm', 'n'),
        ('f3', 'g6', 'app', 'https://api.example', 'openid', 5, 6, 9, 'm', 'n'),
        ('f4', 'g7', 'app', 'https://api.example', 'openid', 5, 6, 9, 'm', 'n')";

async fn migration_moves_codes_and_refresh_tokens_into_grants(database: Database) {
    static CARRIED: crate::SqlStatement = crate::SqlStatement::new(
        "probe.carried",
        "SELECT client_id, code_redirect_uri, code_spent_at, revoked_at, revoked_because, refresh_mark, \
         refresh_generation, version, code_request, code_expires_at, \
         CASE WHEN code_digest = 'c0' AND code_challenge = 'x' THEN 1 ELSE 0 END AS is_first FROM grants ORDER BY id",
    );
    let store = beside(&database).await;
    migrate_to(&store, &MIGRATIONS[..34]).await.unwrap();
    database.run(GRANTS_OF_BEFORE).await;
    migrate_to(&store, MIGRATIONS).await.unwrap();
    let rows = store.read_all(&CARRIED, &[]).await.unwrap();
    let at = |row: &crate::row::SqlRow, name| row.optional_timestamp(name).unwrap().map(Timestamp::micros);
    let read_grant = |row: &crate::row::SqlRow| {
        assert_eq!(
            (row.optional_blob("refresh_mark").unwrap(), row.integer("refresh_generation").unwrap()),
            (None, 0),
            "no refresh token can be used"
        );
        let words = ["client_id", "code_redirect_uri", "revoked_because"];
        let words = words.map(|name| row.optional_text(name).unwrap().map(str::to_owned));
        (words, at(row, "code_spent_at"), at(row, "revoked_at"))
    };
    let expected = [
        (["fresh", "c0", ""], None, None),
        (["spent", "c1", ""], Some(7), None),
        (["device", "", ""], None, None),
        (["one", "c2", ""], Some(8), None),
        (["some", "c5", ""], None, None),
        (["ended", "c7", "its refresh tokens were revoked"], Some(7), Some(9)),
        (["revoked", "c8", "why"], Some(7), Some(4)),
    ];
    let word = |it: &str| (!it.is_empty()).then(|| it.to_owned());
    let expected = expected.map(|(words, spent_at, revoked_at)| (words.map(word), spent_at, revoked_at));
    assert_eq!(rows.iter().map(read_grant).collect::<Vec<_>>(), expected);
    assert_eq!(
        (rows[0].text("code_request").unwrap(), rows[0].integer("code_expires_at").unwrap()),
        ("{\"a\":1}", 6)
    );
    assert!(rows[0].flag("is_first").unwrap() && !rows[1].flag("is_first").unwrap());
    assert_eq!((rows[0].integer("version").unwrap(), rows[5].integer("version").unwrap()), (1, 2));
}

/// Invitations from before offered roles were stored: for a membership with two roles, for one with none, and
/// an accepted one. Ids are 16 bytes, as everywhere.
const INVITATIONS_OF_BEFORE: &str = "
    INSERT INTO organizations (id, slug, name, condition, condition_at, created_at)
        VALUES ('organization-001', 'acme', 'Acme', 'enabled', 1, 1);
    INSERT INTO roles (id, organization_id, name, created_at) VALUES
        ('role-00000000001', 'organization-001', 'one', 1), ('role-00000000002', 'organization-001', 'two', 1);
    INSERT INTO memberships (id, organization_id, condition, condition_at, created_at) VALUES
        ('membership-00001', 'organization-001', 'enabled', 1, 1), ('membership-00002', 'organization-001', 'enabled', 1, 1);
    INSERT INTO membership_roles (membership_id, role_id) VALUES
        ('membership-00001', 'role-00000000001'), ('membership-00001', 'role-00000000002');
    INSERT INTO invitations (id, digest, organization_id, membership_id, lookup, created_at, expires_at, accepted_at) VALUES
        ('invitation-00001', 'a', 'organization-001', 'membership-00001', 'a@example.com', 1, 2, NULL),
        ('invitation-00002', 'b', 'organization-001', 'membership-00002', 'b@example.com', 1, 2, NULL),
        ('invitation-00003', 'c', 'organization-001', 'membership-00001', 'c@example.com', 1, 2, 1)";

async fn migration_adds_the_roles_of_their_membership_to_pending_invitations(database: Database) {
    static OFFERED: crate::SqlStatement =
        crate::SqlStatement::new("probe.offered", "SELECT offered_roles FROM invitations ORDER BY digest");
    let store = beside(&database).await;
    let index = MIGRATIONS.iter().position(|it| it.1 == "offered_roles").unwrap();
    migrate_to(&store, &MIGRATIONS[..index]).await.unwrap();
    let lenient = if let Database::Sqlite(_) = &database { "PRAGMA foreign_keys = OFF;" } else { "" };
    database.run(&format!("{lenient}{INVITATIONS_OF_BEFORE}")).await;
    migrate_to(&store, &MIGRATIONS[..=index]).await.unwrap();
    let read = |row: &crate::SqlRow| {
        let mut roles: Vec<RoleId> = serde_json::from_str(row.text("offered_roles").unwrap()).unwrap();
        roles.sort();
        roles
    };
    let offered_roles: Vec<_> = store.read_all(&OFFERED, &[]).await.unwrap().iter().map(read).collect();
    let [one, two] = [*b"role-00000000001", *b"role-00000000002"].map(RoleId::from_bytes);
    assert_eq!(offered_roles, [vec![one, two], Vec::new(), Vec::new()]);
}
