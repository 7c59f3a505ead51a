//! The schema is brought forward once, by one node, and never by a program that does not know it.

use super::contracts;
use super::database::Database;
use super::probe::{NOW, connect, patient, put};
use crate::migrate::{self, Known, MIGRATIONS, Pending, Progress, run_all, status_of};
use crate::{Access, Act, Failed, Store};

const FIRST: (u32, &str, &str) = (1, "one", "CREATE TABLE one (id BIGINT PRIMARY KEY NOT NULL);");
const SECOND: (u32, &str, &str) = (2, "two", "CREATE TABLE two (id BIGINT PRIMARY KEY NOT NULL);");

contracts! {
    a_second_run_changes_nothing
    two_nodes_that_start_together_apply_each_migration_once
    a_schema_that_lost_nothing_the_program_uses_is_served_and_another_is_refused
    a_migration_that_was_changed_afterwards_is_refused
    a_migration_that_is_missing_or_unknown_is_refused
    a_migration_that_fails_leaves_nothing_behind
    whoever_only_reads_cannot_migrate
    what_hangs_on_a_grant_survives_that_grants_are_made_anew
}

async fn beside(database: &Database) -> Store {
    connect(database, &patient(Access::Beside)).await.unwrap()
}

async fn migrate_to(store: &Store, known: Known) -> Result<usize, Failed> {
    run_all(store, known, NOW, &mut |_| {}).await
}

async fn a_second_run_changes_nothing(database: Database) {
    let store = beside(&database).await;
    let fresh = migrate::status(&store).await.unwrap();
    assert_eq!((fresh.applied.len(), fresh.pending.len()), (0, MIGRATIONS.len()));
    let mut told = Vec::new();
    assert_eq!(migrate::run(&store, NOW, &mut |it| told.push(it)).await, Ok(MIGRATIONS.len()));
    assert_eq!(told.len(), MIGRATIONS.len() + 1);
    assert_eq!(told[0].next, Some(Pending { version: 1, name: MIGRATIONS[0].1 }));
    let end = Progress { done: MIGRATIONS.len(), total: MIGRATIONS.len(), next: None };
    assert_eq!(told.last(), Some(&end));

    let before = migrate::status(&store).await.unwrap();
    assert!(before.pending.is_empty() && before.applied.iter().all(|it| it.at == NOW));
    let later = sinete_core::time::Timestamp::from_seconds(1_900_000_000);
    assert_eq!(migrate::run(&store, later, &mut |_| {}).await, Ok(0));
    assert_eq!(migrate::status(&store).await.unwrap(), before);
    assert_eq!(store.facts().await.unwrap().schema_version, Some(MIGRATIONS.len() as u32));
}

async fn two_nodes_that_start_together_apply_each_migration_once(database: Database) {
    // SQLite's file has to be there before two processes can open it at the same moment.
    let nodes = [beside(&database).await, beside(&database).await, beside(&database).await];
    let runs = nodes.map(|store| tokio::spawn(async move { migrate::run(&store, NOW, &mut |_| {}).await }));
    let mut applied = 0;
    for run in runs {
        applied += run.await.unwrap().unwrap();
    }
    assert_eq!(applied, MIGRATIONS.len());
    let status = migrate::status(&beside(&database).await).await.unwrap();
    assert_eq!((status.applied.len(), status.pending.len()), (MIGRATIONS.len(), 0));
}

async fn a_schema_that_lost_nothing_the_program_uses_is_served_and_another_is_refused(database: Database) {
    const THIRD: (u32, &str, &str) = (3, "contract_since_0002_one", "DROP TABLE one;");
    let store = beside(&database).await;
    migrate_to(&store, &[FIRST, SECOND]).await.unwrap();
    // What was added is nothing to a program that does not know it.
    let status = status_of(&store, &[FIRST]).await.unwrap();
    assert_eq!((status.applied.len(), status.pending.len()), (2, 0));
    assert_eq!(migrate_to(&store, &[FIRST]).await, Ok(0));
    // The version before did not use what was taken away; the one before that did.
    migrate_to(&store, &[FIRST, SECOND, THIRD]).await.unwrap();
    assert_eq!(migrate_to(&store, &[FIRST, SECOND]).await, Ok(0));
    let too_new = Failed::TooNew { found: 3, known: 1 };
    assert_eq!(status_of(&store, &[FIRST]).await, Err(too_new.clone()));
    assert_eq!(migrate_to(&store, &[FIRST]).await, Err(too_new));
}

async fn a_migration_that_was_changed_afterwards_is_refused(database: Database) {
    const CHANGED: (u32, &str, &str) = (1, "one", "CREATE TABLE one (id TEXT PRIMARY KEY NOT NULL);");
    let store = beside(&database).await;
    migrate_to(&store, &[FIRST]).await.unwrap();
    let failed = migrate_to(&store, &[CHANGED, SECOND]).await.unwrap_err();
    assert!(matches!(&failed, Failed::Other(why) if why.starts_with("migration 1 (one) is not")), "{failed}");
    assert_eq!(status_of(&store, &[FIRST, SECOND]).await.unwrap().pending.len(), 1);
}

async fn a_migration_that_is_missing_or_unknown_is_refused(database: Database) {
    const THIRD: (u32, &str, &str) = (3, "three", "CREATE TABLE three (id BIGINT PRIMARY KEY NOT NULL);");
    let store = beside(&database).await;
    migrate_to(&store, &[FIRST, THIRD]).await.unwrap();
    let failed = migrate_to(&store, &[FIRST, SECOND, THIRD]).await.unwrap_err();
    assert!(matches!(&failed, Failed::Other(why) if why.contains("2 (two) is missing")), "{failed}");
    let failed = migrate_to(&store, &[THIRD]).await.unwrap_err();
    assert!(matches!(&failed, Failed::Other(why) if why.contains("1 (one), which is not ours")), "{failed}");
}

async fn a_migration_that_fails_leaves_nothing_behind(database: Database) {
    const BROKEN: (u32, &str, &str) =
        (2, "two", "CREATE TABLE two (id BIGINT PRIMARY KEY NOT NULL); INSERT INTO nowhere VALUES (1);");
    let store = beside(&database).await;
    let failed = migrate_to(&store, &[FIRST, BROKEN]).await.unwrap_err();
    assert!(matches!(&failed, Failed::Other(why) if why.contains("nowhere")), "{failed}");
    let status = status_of(&store, &[FIRST, SECOND]).await.unwrap();
    assert_eq!((status.applied.len(), status.pending.len()), (1, 1));
    // The table that the broken one had made is not there, so the mended one can make it.
    assert_eq!(migrate_to(&store, &[FIRST, SECOND]).await, Ok(1));
}

async fn whoever_only_reads_cannot_migrate(database: Database) {
    migrate_to(&beside(&database).await, &[FIRST]).await.unwrap();
    let reader = connect(&database, &patient(Access::ReadOnly)).await.unwrap();
    assert_eq!(migrate_to(&reader, &[FIRST, SECOND]).await, Err(Failed::ReadOnly));
    assert!(matches!(reader.commit(Act::new().with(put(1, 1))).await, Err(Failed::ReadOnly)));
    assert_eq!(status_of(&reader, &[FIRST, SECOND]).await.unwrap().pending.len(), 1);
}

/// A grant with a code, a family and an exchange, as programs before 0031 wrote them.
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

async fn what_hangs_on_a_grant_survives_that_grants_are_made_anew(database: Database) {
    static LEFT: crate::Statement = crate::Statement::new(
        "probe.left",
        "SELECT g.account_epoch, g.client_epoch, c.spent_at, f.revoked_at, f.generation, f.newest, g.revoked_because, \
         CASE WHEN g.given_in = g.session_id THEN 1 ELSE 0 END, c.request, d.id FROM grants g JOIN codes c ON c.grant_id = g.id \
         JOIN families f ON f.grant_id = g.id JOIN delegations d ON d.grant_id = g.id",
    );
    let store = beside(&database).await;
    migrate_to(&store, &MIGRATIONS[..30]).await.unwrap();
    // What a grant names itself is not needed here, and on PostgreSQL nothing asks for it.
    let lenient = if let Database::Sqlite(_) = &database { "PRAGMA foreign_keys = OFF;" } else { "" };
    database.run(&format!("{lenient}{A_GRANT_OF_BEFORE}")).await;
    migrate_to(&store, MIGRATIONS).await.unwrap();
    let row = store.first(&LEFT, &[]).await.unwrap().unwrap();
    let numbers: Vec<_> = (0..5).map(|place| row.integer(place).unwrap()).collect();
    assert_eq!((numbers, row.optional_blob(5).unwrap()), (vec![3, 4, 7, 8, 0], None));
    assert_eq!((row.text(6).unwrap(), row.text(8).unwrap()), ("why", "{\"a\":1}"));
    assert!(row.flag(7).unwrap(), "it is found by the session it ends with");
    // What hangs on a grant still keeps it from being removed, and nothing begins without one.
    for harm in
        ["DELETE FROM grants", "UPDATE families SET grant_id = 'x'", "UPDATE codes SET grant_id = 'x'"]
    {
        assert!(database.try_run(harm).await.is_err(), "{harm}");
    }
}
