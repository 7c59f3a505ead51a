//! The origin of an event is stored with it and can be erased, and nothing else of an event can be changed. A
//! migration carries over origins of an older database, and the chain stays valid.

use super::both_engines;
use super::database::Database;
use super::probe::{NOW, connect, patient};
use crate::events::log_chain;
use crate::events::log_chain::{LogChainCursor, LogChainPosition};
use crate::events::security_log::{SecurityLogEntry, find_event, list_account_events, list_events};
use crate::migrate::{MIGRATIONS, apply_migrations};
use crate::write_batch::GuardedStatement;
use crate::{SqlStatement, Store, StoreAccess, WriteBatch};
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_core::events::log_chain::{
    ChainGapPolicy, LogChainHead, LogChainVerifier, LogDefect, LoggedEvent, PersonalEventData,
};
use sinete_core::events::security_event::{EventKind, RequestOrigin, SecurityEvent, SecurityEventActor};
use sinete_core::id::{AccountId, InstanceId, OrganizationId};
use sinete_core::time::Lifetime;

both_engines!(
    event_origin_can_be_erased_but_never_altered,
    event_columns_cannot_be_changed,
    event_origin_migration_keeps_the_chain_intact,
    event_origin_forged_beside_an_older_event_is_still_detected
);

async fn migrated(database: &Database) -> Store {
    let store = connect(database, &patient(StoreAccess::Serve)).await.unwrap();
    apply_migrations(&store, MIGRATIONS, NOW, &mut |_| {}).await.unwrap();
    store
}

/// An event with an origin, and one without.
const TWO_EVENTS: &str = "
    INSERT INTO security_log (id, at, kind, actor_kind, detail, salt, address, user_agent)
        VALUES ('e1', 1, 'k', 'system', '{}', 's', '::1', 'curl');
    INSERT INTO security_log (id, at, kind, actor_kind, detail) VALUES ('e2', 2, 'k', 'system', '{}');";

async fn event_origin_can_be_erased_but_never_altered(database: Database) {
    static LEFT: SqlStatement = SqlStatement::new(
        "probe.left",
        "SELECT COALESCE(address, '-') || ' ' || COALESCE(user_agent, '-') || ' ' || \
         CASE WHEN salt IS NULL THEN '-' ELSE 'salted' END AS origin FROM security_log ORDER BY at",
    );
    let store = migrated(&database).await;
    let read_origins = async || {
        let rows = store.read_list(&LEFT, &[]).await.unwrap();
        rows.iter().map(|row| row.text("origin").unwrap().to_owned()).collect::<Vec<_>>()
    };
    database.run(TWO_EVENTS).await;
    let mut refused = vec![
        "address = '::2'",
        "address = NULL",
        "user_agent = NULL",
        "salt = NULL",
        "salt = 't'",
        "salt = salt",
        "address = NULL, user_agent = NULL",
        "salt = NULL, address = NULL, user_agent = 'other'",
    ];
    if let Database::Sqlite(_) = database {
        // In SQLite a row also has a rowid, with which it could replace another.
        refused.push("salt = NULL, address = NULL, user_agent = NULL, rowid = 7");
        refused.push("salt = NULL, address = NULL, user_agent = NULL, rowid = 2");
    }
    for change in refused {
        let verbs = if change.contains("rowid") { "UPDATE OR REPLACE" } else { "UPDATE" };
        let sql = format!("{verbs} security_log SET {change} WHERE at = 1");
        let message = database.try_run(&sql).await.expect_err(&sql);
        assert!(message.contains("append-only"), "{sql}: {message}");
        assert_eq!(read_origins().await, ["::1 curl salted", "- - -"], "{sql}");
    }
    let erase = "UPDATE security_log SET salt = NULL, address = NULL, user_agent = NULL";
    for _ in 0..2 {
        database.run(erase).await;
        assert_eq!(read_origins().await, ["- - -", "- - -"]);
    }
    // An erased or unknown origin cannot be set afterwards.
    for change in ["salt = 's', address = '::1', user_agent = 'curl'", "salt = 's'", "address = '::1'"] {
        let sql = format!("UPDATE security_log SET {change}");
        database.try_run(&sql).await.expect_err(&sql);
    }
    let unsalted = "INSERT INTO security_log (id, at, kind, actor_kind, detail, address)
        VALUES ('e3', 3, 'k', 'system', '{}', '::1')";
    database.try_run(unsalted).await.expect_err(unsalted);
    assert_eq!(read_origins().await, ["- - -", "- - -"]);
}

/// Also for future columns: the list is read from the database.
async fn event_columns_cannot_be_changed(database: Database) {
    static OF_SQLITE: SqlStatement =
        SqlStatement::new("probe.columns", "SELECT name FROM pragma_table_info('security_log')");
    static OF_POSTGRES: SqlStatement = SqlStatement::new(
        "probe.columns",
        "SELECT CAST(column_name AS TEXT) AS name FROM information_schema.columns WHERE table_name = 'security_log'",
    );
    let store = migrated(&database).await;
    database.run(TWO_EVENTS).await;
    let of = if let Database::Sqlite(_) = database { &OF_SQLITE } else { &OF_POSTGRES };
    let columns = store.read_list(of, &[]).await.unwrap();
    let erasable = ["salt", "address", "user_agent"];
    let columns = columns.iter().map(|row| row.text("name").unwrap()).filter(|name| !erasable.contains(name));
    let columns: Vec<_> = columns.collect();
    assert_eq!(columns.len(), 12);
    for column in columns {
        for also in ["", ", salt = NULL, address = NULL, user_agent = NULL"] {
            let sql = format!("UPDATE security_log SET {column} = {column}{also}");
            let message = database.try_run(&sql).await.expect_err(&sql);
            assert!(message.contains("append-only"), "{sql}: {message}");
        }
    }
}

const INSTANCE: InstanceId = InstanceId::from_bytes([7; 16]);
/// The schema version before the migration.
const BEFORE: usize = 33;

// As earlier versions wrote it.
static EVENT: SqlStatement = SqlStatement::new(
    "probe.event",
    "INSERT INTO security_log (id, at, kind, actor_kind, actor_id, organization_id, detail, personal_hash) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
);
static BESIDE: SqlStatement = SqlStatement::new(
    "probe.beside",
    "INSERT INTO security_log_personal (event_id, salt, address, user_agent) VALUES (?1, ?2, ?3, ?4)",
);

fn written_before(row: &LoggedEvent, personal: Option<&PersonalEventData>) -> WriteBatch {
    let event = [
        row.id.into(),
        row.at.into(),
        row.kind.clone().into(),
        row.actor_kind.clone().into(),
        row.actor_id.clone().into(),
        row.organization.into(),
        row.detail.clone().into(),
        row.personal_hash.map(|hash| *hash.as_bytes()).into(),
    ];
    let statement = personal.map(|it| {
        let columns =
            [row.id.into(), it.salt.clone().into(), it.address.clone().into(), it.user_agent.clone().into()];
        GuardedStatement::exactly_one(&BESIDE, columns)
    });
    WriteBatch::new().with_statement(GuardedStatement::exactly_one(&EVENT, event)).with_statements(statement)
}

/// The findings of the chain, and the number of events without an origin.
async fn walked(store: &Store) -> (Vec<LogDefect>, u64, u64) {
    let links = log_chain::list_chain_links(store, LogChainCursor::START, i64::MAX, 1_000).await.unwrap();
    let mut walk = LogChainVerifier::new(INSTANCE, ChainGapPolicy::AreFindings, []);
    let defects = links.iter().flat_map(|link| walk.verify_link(link, None)).map(|it| it.defect).collect();
    (defects, walk.stats().links, walk.stats().without_personal)
}

async fn event_origin_migration_keeps_the_chain_intact(database: Database) {
    let store = connect(&database, &patient(StoreAccess::AlongsideServer)).await.unwrap();
    apply_migrations(&store, &MIGRATIONS[..BEFORE], NOW, &mut |_| {}).await.unwrap();
    let entropy = DangerouslySeededEntropy::new(34);
    let accounts = [(); 2].map(|()| AccountId::mint(NOW, &entropy));
    // Complete, partial, unknown, and erased.
    let origins = [
        Some((Some("2001:db8::7"), Some("Mozilla/5.0 (olá)"))),
        Some((Some("192.0.2.7"), None)),
        None,
        Some((None, Some("curl/8"))),
    ];
    let mut head = LogChainHead::new_genesis(INSTANCE, NOW);
    let (mut expected, mut places) = (Vec::new(), Vec::new());
    for number in 0..40_u32 {
        let at = NOW.plus(Lifetime::from_millis(number));
        let actor = SecurityEventActor::Account(accounts[number as usize % 2]);
        let mut event = SecurityEvent::new(EventKind::SessionEnded, actor, at, &entropy)
            .with_organization(OrganizationId::from_bytes([3; 16]))
            .with_detail("number", i64::from(number));
        if let Some((address, agent)) = origins[number as usize / 2 % 4] {
            event =
                event.with_origin(&RequestOrigin::new(None, address.map(|it| it.parse().unwrap()), agent));
        }
        let (row, personal) = LoggedEvent::from_event(&event);
        let is_erased = number % 10 == 9;
        let personal = personal.filter(|_| !is_erased);
        store.commit(written_before(&row, personal.as_ref())).await.unwrap().into_result().unwrap();
        head = LogChainHead { position: head.position + 1, hash: row.hash_after(head.hash), ..head };
        places.push(LogChainPosition { position: head.position, event: row.id, hash: head.hash });
        expected.push(SecurityLogEntry { event: row, personal });
    }
    store
        .commit(WriteBatch::new().with_statements(log_chain::seal_events(&places)))
        .await
        .unwrap()
        .into_result()
        .unwrap();
    let erased = expected.iter().filter(|it| it.event.personal_hash.is_some() && it.personal.is_none());
    let erased = erased.count() as u64;
    assert!(erased > 0);

    apply_migrations(&store, MIGRATIONS, NOW, &mut |_| {}).await.unwrap();
    assert_eq!(list_events(&store, None, 1_000).await.unwrap(), expected);
    assert_eq!(walked(&store).await, (vec![], 40, erased));
    assert!(database.try_run("SELECT * FROM security_log_personal").await.is_err());

    // Carried-over origins are erased like new ones, for one account only.
    let gone = log_chain::erase_personal_data(&accounts[0].to_string());
    store.commit(WriteBatch::new().with_statements(gone)).await.unwrap().into_result().unwrap();
    let theirs = |number: usize| number.is_multiple_of(2);
    for (number, before) in expected.iter().enumerate() {
        let personal = before.personal.clone().filter(|_| !theirs(number));
        let after = SecurityLogEntry { event: before.event.clone(), personal };
        assert_eq!(find_event(&store, before.event.id).await.unwrap(), Some(after), "{number}");
    }
    let read = list_account_events(&store, accounts[1], None, 1_000).await.unwrap();
    assert_eq!(read.len(), 20);
    let hashed = |entry: &SecurityLogEntry| entry.event.personal_hash.is_some();
    let without = expected
        .iter()
        .enumerate()
        .filter(|(number, it)| hashed(it) && (theirs(*number) || it.personal.is_none()));
    assert_eq!(walked(&store).await, (vec![], 40, without.count() as u64));
}

async fn event_origin_forged_beside_an_older_event_is_still_detected(database: Database) {
    let store = connect(&database, &patient(StoreAccess::AlongsideServer)).await.unwrap();
    apply_migrations(&store, &MIGRATIONS[..BEFORE], NOW, &mut |_| {}).await.unwrap();
    let event = SecurityEvent::new(
        EventKind::SessionEnded,
        SecurityEventActor::System,
        NOW,
        &DangerouslySeededEntropy::new(35),
    );
    let (row, none) = LoggedEvent::from_event(&event);
    assert!(none.is_none() && row.personal_hash.is_none());
    let forged =
        PersonalEventData { salt: vec![1; 16], address: Some("192.0.2.66".into()), user_agent: None };
    store.commit(written_before(&row, Some(&forged))).await.unwrap().into_result().unwrap();
    let genesis = LogChainHead::new_genesis(INSTANCE, NOW);
    let chain_position = LogChainPosition { position: 1, event: row.id, hash: row.hash_after(genesis.hash) };
    store
        .commit(WriteBatch::new().with_statements(log_chain::seal_events(&[chain_position])))
        .await
        .unwrap()
        .into_result()
        .unwrap();

    apply_migrations(&store, MIGRATIONS, NOW, &mut |_| {}).await.unwrap();
    assert_eq!(walked(&store).await, (vec![LogDefect::PersonalDataAdded], 1, 0));
    assert_eq!(
        find_event(&store, row.id).await.unwrap(),
        Some(SecurityLogEntry { event: row, personal: Some(forged) })
    );
}
