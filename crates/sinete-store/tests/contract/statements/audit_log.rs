//! Audit log queries by time find the same as a scan of all entries, in both orders and from any page.

use super::{Database, Scene};
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::events::audit_log;
use crate::events::audit_log::{AuditLogOrder, AuditLogQuery, NewAuditEntry};
use crate::store::Store;
use sinete_core::id::EventId;
use sinete_core::time::{Lifetime, Timestamp};

both_engines!(audit_log_time_range_matches_a_full_scan);

/// The interval between entries.
const STEP: Lifetime = Lifetime::from_seconds(7);
const ENTRIES: u32 = 40;

/// The times of the entries. Every third has an id from another clock, a few seconds before or after its
/// time.
fn moments() -> Vec<(Timestamp, Timestamp)> {
    let (late, early) = (Lifetime::from_seconds(9), Lifetime::from_seconds(8));
    let at = |index: u32| (0..index).fold(NOW, |at, _| at.plus(STEP));
    let minted = |index: u32| match index % 3 {
        0 => at(index),
        1 => at(index).plus(late),
        _ => at(index).minus(early),
    };
    (0..ENTRIES).map(|index| (minted(index), at(index))).collect()
}

/// The ids of all pages.
async fn read_all_pages(store: &Store, query: &AuditLogQuery<'_>) -> Vec<EventId> {
    let mut entry_ids = Vec::new();
    loop {
        let page = AuditLogQuery { after: entry_ids.last().copied(), ..*query };
        let page = audit_log::list_audit_entries(store, &page).await.unwrap();
        if page.is_empty() {
            return entry_ids;
        }
        entry_ids.extend(page.iter().map(|entry| entry.id));
    }
}

async fn audit_log_time_range_matches_a_full_scan(database: Database) {
    let scene = Scene::set(database).await;
    let (organization, store) = (scene.world.organization, &scene.store);
    let mut all = Vec::new();
    for (index, (minted, at)) in moments().into_iter().enumerate() {
        let id = EventId::mint(minted, &scene.entropy);
        let (kind, actor) = (["role.created", "role.changed"][index % 2], ["ana", "ben"][index / 2 % 2]);
        let subject = ["owner", "reader", "writer"][index % 3];
        scene
            .happens([audit_log::append_audit_entry(&NewAuditEntry {
                id,
                organization,
                at,
                kind,
                actor_kind: "member",
                actor_id: Some(actor),
                subject: Some(("role", subject)),
                reason: "",
                detail: &scene.world.empty_document,
            })])
            .await;
        all.push((id, at, kind, actor, subject));
    }
    all.sort();
    let edges = [0, 1, 2, 11, 12, 20, 39].map(|index| all[index].1);
    let mut moments: Vec<_> = edges.into_iter().map(Some).collect();
    moments.extend([None, Some(NOW.minus(STEP)), Some(Timestamp::from_micros(i64::MAX))]);
    for (since, until) in moments.iter().flat_map(|since| moments.iter().map(|until| (*since, *until))) {
        for (kind, actor, subject) in [
            (None, None, None),
            (Some("role.created"), None, None),
            (None, Some("ana"), None),
            (Some("role.changed"), Some("ben"), None),
            (None, None, Some("reader")),
            (Some("role.created"), Some("ana"), Some("writer")),
        ] {
            let is_wanted = |it: &&(EventId, Timestamp, &str, &str, &str)| {
                since.is_none_or(|since| it.1 >= since)
                    && until.is_none_or(|until| it.1 < until)
                    && kind.is_none_or(|kind| it.2 == kind)
                    && actor.is_none_or(|actor| it.3 == actor)
                    && subject.is_none_or(|subject| it.4 == subject)
            };
            let mut expected: Vec<EventId> = all.iter().filter(is_wanted).map(|it| it.0).collect();
            for order in [AuditLogOrder::OldestFirst, AuditLogOrder::NewestFirst] {
                let query = AuditLogQuery {
                    organization,
                    order,
                    after: None,
                    since,
                    until,
                    actor,
                    kind,
                    subject,
                    address: None,
                    with_sign_ins: true,
                    limit: 9,
                };
                let entry_ids = read_all_pages(store, &query).await;
                assert_eq!(
                    entry_ids, expected,
                    "{since:?} to {until:?}, {kind:?}, {actor:?}, {subject:?}, {order:?}"
                );
                expected.reverse();
            }
        }
    }
}
