//! Manipulations of the log by an attacker with full database access, and their detection.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{MINUTE, World};
use sinete_core::events::log_chain::LogDefect;
use sinete_core::id::EventId;
use sinete_core::time::Lifetime;
use sinete_engine::events::security_log::{SecurityLog, SecurityLogError};
use sinete_store::events::log_chain;

both_engines!(
    security_log_that_is_intact_has_no_findings,
    security_log_triggers_refuse_every_change,
    security_log_changed_byte_in_any_column_is_detected,
    security_log_changed_position_or_head_is_detected,
    security_log_deleted_middle_row_is_detected,
    security_log_deleted_tail_is_detected,
    security_log_swapped_rows_are_detected,
    security_log_deleted_head_is_detected_and_stops_sealing,
    security_log_backdated_event_is_detected,
    security_log_forged_positions_are_detected,
    security_log_altered_origin_is_detected_and_an_erased_one_is_accepted
);

async fn security_log_that_is_intact_has_no_findings(database: Database) {
    let world = World::with_sealed_events(database, 30).await;
    let (findings, verification) = world.verify().await;
    assert_eq!(findings, []);
    assert_eq!((verification.tally.links, verification.unsealed), (31, 0));
    assert_eq!(verification.tally.without_personal, 0);
    world.happens().await;
    let (findings, verification) = world.verify().await;
    assert_eq!((findings, verification.unsealed), (vec![], 1));
    assert_eq!(verification.waiting_since.unwrap().seconds(), world.now().seconds());
}

async fn security_log_triggers_refuse_every_change(database: Database) {
    let world = World::with_sealed_events(database, 2).await;
    for change in [
        "UPDATE security_log SET kind = 'x'",
        "DELETE FROM security_log",
        "UPDATE log_chain SET position = position + 9",
        "DELETE FROM log_chain",
        "DELETE FROM log_head",
        "UPDATE security_log SET address = NULL",
        "UPDATE security_log SET address = '192.0.2.9'",
        "UPDATE security_log SET salt = NULL, address = NULL, user_agent = NULL, kind = 'x'",
    ] {
        world.database.try_run(change).await.unwrap_err();
    }
    assert_eq!(world.finds().await, []);
}

async fn security_log_changed_byte_in_any_column_is_detected(database: Database) {
    let world = World::with_sealed_events(database, 5).await;
    world.database.disarm().await;
    let link = &world.links().await[3];
    let (event, id) = (link.event.as_ref().unwrap(), world.database.bytes(link.event_id.as_bytes()));
    let flipped = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes[7] ^= 1;
        world.database.bytes(&bytes)
    };
    let text = |text: &str| (format!("'{text}'"), format!("'X{}'", &text[1..]));
    let bytes = |bytes: &[u8]| (world.database.bytes(bytes), flipped(bytes));
    let columns = [
        ("at", (event.at.micros().to_string(), (event.at.micros() ^ 1).to_string())),
        ("kind", text(&event.kind)),
        ("actor_kind", text(&event.actor_kind)),
        ("actor_id", text(event.actor_id.as_ref().unwrap())),
        ("subject_kind", text(event.subject_kind.as_ref().unwrap())),
        ("subject_id", text(event.subject_id.as_ref().unwrap())),
        ("organization_id", bytes(event.organization.unwrap().as_bytes())),
        ("client_id", text(event.client.as_ref().unwrap())),
        ("request_id", bytes(event.request.unwrap().as_bytes())),
        ("detail", text(&event.detail)),
        ("personal_hash", bytes(event.personal_hash.unwrap().as_bytes())),
    ];
    for (column, (was, changed)) in &columns {
        let set = |value: &str| format!("UPDATE security_log SET {column} = {value} WHERE id = {id}");
        world.database.run(&set(changed)).await;
        let findings = world.finds().await;
        assert!(findings.contains(&LogDefect::Changed), "{column}: {findings:?}");
        world.database.run(&set(was)).await;
        assert_eq!(world.finds().await, [], "{column} is as it was");
    }
    let nullable = ["actor_id", "subject_kind", "subject_id", "organization_id", "client_id", "request_id"];
    for (column, (was, _)) in columns.iter().filter(|(column, _)| nullable.contains(column)) {
        world.database.run(&format!("UPDATE security_log SET {column} = NULL WHERE id = {id}")).await;
        assert_eq!(world.finds().await, [LogDefect::Changed], "{column}");
        world.database.run(&format!("UPDATE security_log SET {column} = {was} WHERE id = {id}")).await;
    }
    let other = flipped(link.event_id.as_bytes());
    world.database.run(&format!("UPDATE security_log SET id = {other} WHERE id = {id}")).await;
    assert!(world.finds().await.contains(&LogDefect::EventMissing));
}

async fn security_log_changed_position_or_head_is_detected(database: Database) {
    let world = World::with_sealed_events(database, 5).await;
    world.database.disarm().await;
    let zeros = world.database.bytes(&[0; 32]);
    let changes = [
        format!("UPDATE log_chain SET hash = {zeros} WHERE position = 3"),
        format!("UPDATE log_chain SET hash = {zeros} WHERE position = 6"),
        format!("UPDATE log_chain SET event_id = {} WHERE position = 3", world.database.bytes(&[1; 16])),
        "UPDATE log_chain SET position = 99 WHERE position = 3".to_owned(),
        "UPDATE log_head SET position = 5".to_owned(),
        "UPDATE log_head SET position = 7".to_owned(),
        "UPDATE log_head SET sealed_at = sealed_at + 1".to_owned(),
        "UPDATE log_head SET kid = 'another'".to_owned(),
        format!("UPDATE log_head SET hash = {zeros}"),
        format!("UPDATE log_head SET signature = {}", world.database.bytes(&[0; 64])),
        format!("UPDATE log_head SET signature = {}", world.database.bytes(&[])),
    ];
    let save = ["log_chain", "log_head"];
    for table in save {
        world.database.run(&format!("CREATE TABLE saved_{table} AS SELECT * FROM {table}")).await;
    }
    for change in &changes {
        world.database.run(change).await;
        assert!(!world.finds().await.is_empty(), "{change}");
        for table in save {
            world.database.run(&format!("DELETE FROM {table}")).await;
            world.database.run(&format!("INSERT INTO {table} SELECT * FROM saved_{table}")).await;
        }
        assert_eq!(world.finds().await, [], "after {change} was undone");
    }
}

async fn security_log_deleted_middle_row_is_detected(database: Database) {
    let world = World::with_sealed_events(database, 12).await;
    world.database.disarm().await;
    let links = world.links().await;
    let id = |index: usize| world.database.bytes(links[index].event_id.as_bytes());
    world.database.run(&format!("DELETE FROM security_log WHERE id = {}", id(3))).await;
    assert_eq!(world.finds().await, [LogDefect::EventMissing]);
    world.database.run("DELETE FROM log_chain WHERE position = 4").await;
    assert_eq!(world.finds().await, [LogDefect::PositionsMissing { from: 4, to: 4 }]);
    world.database.run("DELETE FROM log_chain WHERE position = 1").await;
    let findings = world.finds().await;
    // The event still exists, but is too old for any sealer.
    assert_eq!(
        findings,
        [
            LogDefect::PositionsMissing { from: 1, to: 1 },
            LogDefect::PositionsMissing { from: 4, to: 4 },
            LogDefect::NeverSealed
        ]
    );
}

async fn security_log_deleted_tail_is_detected(database: Database) {
    let world = World::with_sealed_events(database, 9).await;
    world.database.disarm().await;
    world
        .database
        .run("DELETE FROM security_log WHERE id IN (SELECT event_id FROM log_chain WHERE position > 7)")
        .await;
    world.database.run("DELETE FROM log_chain WHERE position > 7").await;
    assert_eq!(world.finds().await, [LogDefect::ChainTooShort { head: 10 }]);
    // Moving the head back to the end of the chain does not help: its signature is then invalid.
    let hash = world.database.bytes(world.links().await[6].hash.as_bytes());
    world.database.run(&format!("UPDATE log_head SET position = 7, hash = {hash}")).await;
    assert_eq!(world.finds().await, [LogDefect::HeadForged]);
    let refused = world.seal().await.unwrap_err();
    assert!(
        matches!(refused, SecurityLogError::Tampered(finding) if finding.defect == LogDefect::HeadForged)
    );
    world.database.run("DELETE FROM security_log").await;
    world.database.run("DELETE FROM log_chain").await;
    assert!(world.finds().await.contains(&LogDefect::HeadForged));
}

async fn security_log_swapped_rows_are_detected(database: Database) {
    let world = World::with_sealed_events(database, 9).await;
    world.database.disarm().await;
    let links = world.links().await;
    let assign_position = |position: usize, event: usize| {
        let id = world.database.bytes(links[event].event_id.as_bytes());
        format!("UPDATE log_chain SET event_id = {id} WHERE position = {position}")
    };
    // Through an unused id, because two positions never share an event.
    let unused_id = world.database.bytes(&[0; 16]);
    world.database.run(&format!("UPDATE log_chain SET event_id = {unused_id} WHERE position = 3")).await;
    world.database.run(&assign_position(6, 2)).await;
    world.database.run(&assign_position(3, 5)).await;
    assert_eq!(world.finds().await, [LogDefect::Changed, LogDefect::Changed]);
    // With their hashes swapped too.
    for (position, other) in [(3, 5), (6, 2)] {
        let hash = world.database.bytes(links[other].hash.as_bytes());
        world.database.run(&format!("UPDATE log_chain SET hash = {hash} WHERE position = {position}")).await;
    }
    assert!(!world.finds().await.is_empty());
}

async fn security_log_deleted_head_is_detected_and_stops_sealing(database: Database) {
    let world = World::with_sealed_events(database, 9).await;
    world.database.disarm().await;
    world.database.run("DELETE FROM log_head").await;
    assert_eq!(world.finds().await, [LogDefect::HeadMissing]);
    world.happens().await;
    assert!(matches!(world.seal().await, Err(SecurityLogError::Tampered(_))));
    // A restart does not create a new head either.
    SecurityLog::open_or_create(&world.store, &world.keys, world.now(), &world.entropy).await.unwrap();
    assert_eq!(world.finds().await, [LogDefect::HeadMissing]);
    // A change is found even without a head.
    world.database.run("UPDATE security_log SET kind = 'x' WHERE id IN (SELECT event_id FROM log_chain WHERE position = 4)").await;
    assert_eq!(world.finds().await, [LogDefect::HeadMissing, LogDefect::Changed]);
}

/// Copies an event under another id, as if it had happened then.
async fn slip_in(world: &World, id: EventId) {
    let (id, at) = (world.database.bytes(id.as_bytes()), id.minted_at().micros());
    world
        .database
        .run(&format!(
            "INSERT INTO security_log (id, at, kind, actor_kind, detail) \
             VALUES ({id}, {at}, 'grant.revoked', 'system', '{{}}')"
        ))
        .await;
}

async fn security_log_backdated_event_is_detected(database: Database) {
    let world = World::with_sealed_events(database, 30).await;
    let long_ago = EventId::mint(world.now().minus(Lifetime::from_minutes(12)), &world.entropy);
    slip_in(&world, long_ago).await;
    assert_eq!(world.seal().await.unwrap(), 0);
    world.wait(MINUTE);
    world.happens().await;
    assert_eq!(world.seal().await.unwrap(), 1);
    let (findings, verification) = world.verify().await;
    assert_eq!((findings, verification.unsealed), (vec![LogDefect::NeverSealed], 0));
    // An event with a new id and an old date is sealed, and its date is a finding.
    let id = EventId::mint(world.now(), &world.entropy);
    let bytes = world.database.bytes(id.as_bytes());
    world
        .database
        .run(&format!(
            "INSERT INTO security_log (id, at, kind, actor_kind, detail) VALUES ({bytes}, 1, 'x', 'system', '{{}}')"
        ))
        .await;
    assert_eq!(world.seal().await.unwrap(), 1);
    assert!(matches!(world.finds().await[..], [LogDefect::TimeDiffersFromId { .. }, LogDefect::NeverSealed]));
}

async fn security_log_forged_positions_are_detected(database: Database) {
    let world = World::with_sealed_events(database, 9).await;
    world.database.disarm().await;
    let id = EventId::mint(world.now().minus(Lifetime::from_days(9)), &world.entropy);
    slip_in(&world, id).await;
    let (id, hash) = (world.database.bytes(id.as_bytes()), world.database.bytes(&[7; 32]));
    for (position, expected) in [
        (-1, LogDefect::PositionInvalid),
        (0, LogDefect::PositionInvalid),
        (i64::MIN + 1, LogDefect::PositionInvalid),
        (11, LogDefect::ChainTooLong { head: 10 }),
        (i64::MAX, LogDefect::ChainTooLong { head: 10 }),
    ] {
        world.database.run(&format!("INSERT INTO log_chain VALUES ({position}, {id}, {hash})")).await;
        assert_eq!(world.finds().await, [expected], "{position}");
        world.database.run(&format!("DELETE FROM log_chain WHERE event_id = {id}")).await;
    }
    // A second row at the same position, on an engine that was made to allow it.
    world.database.run("CREATE TABLE loose AS SELECT * FROM log_chain").await;
    world.database.run("DROP TABLE log_chain").await;
    world.database.run("ALTER TABLE loose RENAME TO log_chain").await;
    for position in [1, 4, 10] {
        world.database.run(&format!("INSERT INTO log_chain VALUES ({position}, {id}, {hash})")).await;
        let findings = world.finds().await;
        assert!(findings.contains(&LogDefect::PositionInvalid), "{position}: {findings:?}");
        world.database.run(&format!("DELETE FROM log_chain WHERE event_id = {id}")).await;
    }
    assert_eq!(world.finds().await, [LogDefect::NeverSealed]);
}

async fn security_log_altered_origin_is_detected_and_an_erased_one_is_accepted(database: Database) {
    let world = World::with_sealed_events(database, 6).await;
    world.database.disarm().await;
    let ids: Vec<_> =
        world.links().await.iter().map(|link| world.database.bytes(link.event_id.as_bytes())).collect();
    let erase = "UPDATE security_log SET salt = NULL, address = NULL, user_agent = NULL";
    world.database.run(&format!("{erase} WHERE id = {}", ids[2])).await;
    let (findings, verification) = world.verify().await;
    assert_eq!((findings, verification.tally.without_personal), (vec![], 1));
    for (index, change) in [(3, "address = '192.0.2.9'"), (4, "user_agent = NULL"), (5, "salt = id")] {
        let id = &ids[index];
        world.database.run(&format!("UPDATE security_log SET {change} WHERE id = {id}")).await;
    }
    assert_eq!(world.finds().await, [const { LogDefect::PersonalDataChanged }; 3]);
    // The event of the log's own key has no origin.
    let id = &ids[0];
    world
        .database
        .run(&format!("UPDATE security_log SET salt = id, address = '192.0.2.9' WHERE id = {id}"))
        .await;
    assert!(world.finds().await.contains(&LogDefect::PersonalDataAdded));
}

/// SQLite stores values of any type in any column, so an attacker can store what our types cannot hold.
#[tokio::test]
async fn security_log_value_of_another_type_is_detected_and_does_not_stop_verification() {
    let world = World::with_sealed_events(Database::sqlite(), 9).await;
    world.database.disarm().await;
    let links = world.links().await;
    let id = world.database.bytes(links[3].event_id.as_bytes());
    for (column, value) in [
        ("at", "1.5"),
        ("at", "'noon'"),
        ("kind", "x'00ff'"),
        ("detail", "CAST(x'ff' AS TEXT)"),
        ("organization_id", "x'00'"),
        ("organization_id", "'text'"),
        ("personal_hash", "x'00'"),
        ("salt", "'text'"),
        ("address", "x'00ff'"),
    ] {
        world
            .database
            .run("DROP TABLE IF EXISTS saved; CREATE TABLE saved AS SELECT * FROM security_log")
            .await;
        world.database.run(&format!("UPDATE security_log SET {column} = {value} WHERE id = {id}")).await;
        let other = world.database.bytes(links[7].event_id.as_bytes());
        world.database.run(&format!("UPDATE security_log SET kind = 'x' WHERE id = {other}")).await;
        let findings = world.finds().await;
        assert!(
            matches!(findings[..], [LogDefect::Unreadable(_), LogDefect::Changed]),
            "{column} = {value}: {findings:?}"
        );
        world.database.run("DELETE FROM security_log; INSERT INTO security_log SELECT * FROM saved").await;
    }
    assert_eq!(world.finds().await, []);
    world.database.run("UPDATE log_chain SET position = 3.5 WHERE position = 4").await;
    assert!(world.finds().await.iter().any(|wrong| matches!(wrong, LogDefect::Unreadable(_))));
    world.database.run("UPDATE log_head SET position = 'x'").await;
    assert!(world.finds().await.iter().any(|wrong| matches!(wrong, LogDefect::HeadUnreadable(_))));
    let head = log_chain::find_chain_head(&world.store).await;
    assert!(head.is_err());
}
