use super::*;
use crate::client::ClientId;
use crate::entropy::DangerouslySeeded;
use crate::id::AccountId;
use crate::security::event::{Actor, EventKind, Origin};
use proptest::prelude::*;

const INSTANCE: InstanceId = InstanceId::from_bytes([7; 16]);
const NOON: Timestamp = Timestamp::from_micros(1_794_700_323_456_789);

/// The example of `docs/security-log.md`.
fn example() -> (LoggedEvent, Personal) {
    let personal = Personal {
        salt: (0..16).collect(),
        address: Some("192.0.2.7".into()),
        user_agent: Some("curl/8".into()),
    };
    let event = LoggedEvent {
        id: "01a1dd1e-7600-7001-8203-0405060708ff".parse().unwrap(),
        at: "2026-11-15T02:52:03.456789Z".parse().unwrap(),
        kind: "credential.failed".into(),
        actor_kind: "anonymous".into(),
        actor_id: None,
        subject_kind: Some("account".into()),
        subject_id: Some("ana".into()),
        organization: None,
        client: Some("shop".into()),
        request: None,
        detail: r#"{"attempts":3}"#.into(),
        personal_hash: Some(personal.hash()),
    };
    (event, personal)
}

fn event(number: u8) -> LoggedEvent {
    let entropy = DangerouslySeeded::new(number.into());
    let at = NOON.plus(Lifetime::from_seconds(number.into()));
    let origin = Origin::new(None, Some([192, 0, 2, number].into()), Some("curl/8"));
    let event = Event::new(EventKind::CredentialFailed, Actor::Anonymous, at, &entropy).from_origin(&origin);
    LoggedEvent::of(&event).0
}

/// A sound chain of so many events, and its head.
fn chain(length: u8) -> (Vec<Link>, Head) {
    let mut head = Head::genesis(INSTANCE, NOON);
    let mut links = Vec::new();
    for number in 1..=length {
        let event = event(number);
        let entropy = DangerouslySeeded::new(number.into());
        EventId::mint(NOON, &entropy);
        let personal = Personal {
            salt: crate::entropy::draw::<16>(&entropy).to_vec(),
            address: Some(format!("192.0.2.{number}")),
            user_agent: Some("curl/8".into()),
        };
        assert_eq!(Some(personal.hash()), event.personal_hash);
        head.position += 1;
        head.hash = event.hash_after(head.hash);
        let (position, hash) = (head.position, head.hash);
        links.push(Link { position, event_id: event.id, hash, event: Some(event), personal: Some(personal) });
    }
    (links, head)
}

fn walk(links: &[Link], head: &Head, anchors: &[Anchor]) -> (Vec<Wrong>, Tally) {
    let mut walk = Walk::new(INSTANCE, Gaps::AreFindings, anchors.iter().copied());
    let mut findings: Vec<_> = links.iter().flat_map(|link| walk.step(link, None)).collect();
    let (last, tally) = walk.end(head);
    findings.extend(last);
    (findings.into_iter().map(|finding| finding.wrong).collect(), tally)
}

#[test]
fn the_documented_example_has_the_documented_bytes() {
    let (event, personal) = example();
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let genesis = Head::genesis(INSTANCE, NOON).hash;
    let document = include_str!("../../../../../docs/security-log.md");
    let head = Head { position: 1, hash: event.hash_after(genesis), sealed_at: NOON };
    for documented in [
        personal.hash().to_string(),
        hex(&event.canonical()),
        genesis.to_string(),
        head.hash.to_string(),
        hex(&head.signed_bytes(INSTANCE)),
    ] {
        let folded: String = document.split_whitespace().collect();
        assert!(folded.contains(&documented), "docs/security-log.md does not hold {documented}");
    }
}

#[test]
fn every_fact_of_an_event_is_kept_in_its_row() {
    let entropy = DangerouslySeeded::new(9);
    let account = AccountId::mint(NOON, &entropy);
    let organization = OrganizationId::mint(NOON, &entropy);
    let request = RequestId::mint(NOON, &entropy);
    let client: ClientId = "shop".parse().unwrap();
    let origin = Origin::new(Some(request), Some([192, 0, 2, 7].into()), Some("curl/8"));
    let event = Event::new(EventKind::GrantRevoked, Actor::Account(account), NOON, &entropy)
        .about("grant", "g")
        .within(organization)
        .through(client)
        .from_origin(&origin)
        .with("why", "asked");
    let (row, personal) = LoggedEvent::of(&event);
    let personal = personal.unwrap();
    assert_eq!((row.id, row.at), (event.id, NOON));
    assert_eq!((row.kind.as_str(), row.actor_kind.as_str()), ("grant.revoked", "account"));
    assert_eq!(row.actor_id, Some(account.to_string()));
    assert_eq!((row.subject_kind.as_deref(), row.subject_id.as_deref()), (Some("grant"), Some("g")));
    assert_eq!((row.organization, row.request), (Some(organization), Some(request)));
    assert_eq!((row.client.as_deref(), row.detail.as_str()), (Some("shop"), r#"{"why":"asked"}"#));
    assert_eq!(personal.address.as_deref(), Some("192.0.2.7"));
    assert_eq!(personal.user_agent.as_deref(), Some("curl/8"));
    assert_eq!(row.personal_hash, Some(personal.hash()));
    assert!(row.agrees_with_its_id());
}

#[test]
fn an_event_without_an_origin_has_no_personal_row() {
    let event = Event::new(EventKind::ServerStarted, Actor::System, NOON, &DangerouslySeeded::new(1));
    let (row, personal) = LoggedEvent::of(&event);
    assert_eq!((row.personal_hash, personal), (None, None));
}

#[test]
fn two_events_from_one_address_do_not_show_it() {
    assert_ne!(
        Personal { salt: vec![1; 16], address: Some("192.0.2.7".into()), user_agent: None }.hash(),
        Personal { salt: vec![2; 16], address: Some("192.0.2.7".into()), user_agent: None }.hash(),
    );
}

#[test]
fn a_sound_chain_has_no_findings() {
    let (links, head) = chain(9);
    let tally = Tally { links: 9, ..Tally::default() };
    assert_eq!(walk(&links, &head, &[]), (vec![], tally));
    let genesis = Head::genesis(INSTANCE, NOON);
    assert_eq!(walk(&[], &genesis, &[]), (vec![], Tally::default()));
}

#[test]
fn another_instances_chain_is_found() {
    let (links, head) = chain(3);
    let mut walk = Walk::new(InstanceId::from_bytes([8; 16]), Gaps::AreFindings, []);
    let found: Vec<_> = links.iter().flat_map(|link| walk.step(link, None)).collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].position, Some(1));
    assert_eq!(walk.end(&head).0, []);
}

#[test]
fn each_deletion_is_one_finding() {
    let (links, head) = chain(9);
    for gone in 0..8 {
        let mut without_event = links.clone();
        without_event[gone].event = None;
        assert_eq!(walk(&without_event, &head, &[]).0, [Wrong::EventMissing]);
        let mut without_link = links.clone();
        let position = without_link.remove(gone).position;
        assert_eq!(
            walk(&without_link, &head, &[]).0,
            [Wrong::PlacesMissing { from: position, to: position }]
        );
    }
    assert_eq!(walk(&links[..6], &head, &[]).0, [Wrong::ChainTooShort { head: 9 }]);
    assert_eq!(walk(&[], &head, &[]).0, [Wrong::ChainTooShort { head: 9 }]);
}

#[test]
fn what_was_added_is_found() {
    let (links, head) = chain(9);
    let (shorter, short_head) = (&links[..8], Head { position: 8, hash: links[7].hash, ..head });
    assert_eq!(walk(shorter, &short_head, &[]).0, []);
    assert_eq!(walk(&links, &short_head, &[]).0, [Wrong::ChainTooLong { head: 8 }]);
    for impossible in [i64::MIN, -1, 0] {
        let mut added = links.clone();
        added.insert(0, Link { position: impossible, ..links[8].clone() });
        assert_eq!(walk(&added, &head, &[]).0, [Wrong::PlaceImpossible]);
    }
    let mut twice = links.clone();
    twice.insert(4, links[3].clone());
    assert_eq!(walk(&twice, &head, &[]).0, [Wrong::PlaceImpossible]);
}

#[test]
fn two_events_that_changed_places_are_both_found() {
    let (mut links, head) = chain(9);
    let (one, other) = (links[2].clone(), links[6].clone());
    links[2] = Link { position: 3, hash: one.hash, ..other.clone() };
    links[6] = Link { position: 7, hash: other.hash, ..one };
    assert_eq!(walk(&links, &head, &[]).0, [Wrong::Changed, Wrong::Changed]);
}

#[test]
fn a_chain_recomputed_without_the_head_does_not_reach_it() {
    let (mut links, head) = chain(9);
    let mut hash = links[3].hash;
    for link in &mut links[4..] {
        let event = link.event.as_mut().unwrap();
        event.detail = "{}".into();
        event.kind = "server.started".into();
        hash = event.hash_after(hash);
        link.hash = hash;
    }
    assert_eq!(walk(&links, &head, &[]).0, [Wrong::HeadElsewhere]);
}

#[test]
fn the_personal_row_may_vanish_but_not_change() {
    let (mut links, head) = chain(4);
    links[0].personal = None;
    let (found, tally) = walk(&links, &head, &[]);
    assert_eq!((found.as_slice(), tally.without_personal), (&[][..], 1));
    links[1].personal.as_mut().unwrap().address = None;
    links[2].personal.as_mut().unwrap().salt.push(0);
    assert_eq!(walk(&links, &head, &[]).0, [Wrong::PersonalChanged, Wrong::PersonalChanged]);
    links[3].event.as_mut().unwrap().personal_hash = None;
    assert!(walk(&links, &head, &[]).0.contains(&Wrong::PersonalAdded));
}

#[test]
fn an_event_that_claims_another_time_is_found() {
    let mut head = Head::genesis(INSTANCE, NOON);
    let mut event = event(1);
    event.at = NOON.minus(Lifetime::from_days(30));
    head = Head { position: 1, hash: event.hash_after(head.hash), ..head };
    let link = Link { position: 1, event_id: event.id, hash: head.hash, event: Some(event), personal: None };
    assert!(matches!(walk(&[link], &head, &[]).0[..], [Wrong::TimeDisagrees { .. }]));
}

#[test]
fn a_noted_head_uncovers_a_rewritten_and_a_shortened_log() {
    let (links, head) = chain(9);
    let genesis = Head::genesis(INSTANCE, NOON).anchor();
    let noted = Anchor { position: 6, hash: links[5].hash };
    let (found, tally) = walk(&links, &head, &[noted, genesis, head.anchor()]);
    assert_eq!((found.as_slice(), tally.anchors), (&[][..], 3));
    let differs = Anchor { hash: links[4].hash, ..noted };
    assert_eq!(walk(&links, &head, &[differs]).0, [Wrong::AnchorDiffers(differs)]);
    let older = Head { position: 5, hash: links[4].hash, ..head };
    assert_eq!(walk(&links[..5], &older, &[]).0, []);
    assert_eq!(walk(&links[..5], &older, &[noted]).0, [Wrong::AnchorMissing(noted)]);
    let of_nothing = Anchor { position: 0, ..noted };
    assert_eq!(
        walk(&[], &Head::genesis(INSTANCE, NOON), &[of_nothing]).0,
        [Wrong::AnchorDiffers(of_nothing)]
    );
}

#[test]
fn a_selection_may_have_gaps_and_every_line_is_still_checked() {
    let (links, head) = chain(9);
    let mut walk = Walk::new(
        INSTANCE,
        Gaps::AreExpected,
        [links[5].position].map(|position| Anchor { position, hash: links[5].hash }),
    );
    assert_eq!(walk.step(&links[2], Some(links[1].hash)), []);
    assert_eq!(walk.step(&links[3], Some(links[2].hash)), []);
    assert_eq!(walk.step(&links[6], Some(links[5].hash)), []);
    let found = walk.step(&links[7], Some(links[0].hash));
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0].wrong, Wrong::Unlinked);
    let (found, tally) = walk.end(&head);
    assert_eq!((found, tally.anchors_out_of_reach), (vec![], 1));
}

#[test]
fn the_sealer_looks_back_from_the_earliest_clock() {
    let (links, head) = chain(3);
    let last = Some(links[2].event_id);
    let window = Lifetime::from_minutes(10);
    let floor_at = |at: Timestamp| EventId::floor(at.minus(window));
    let hour = Lifetime::from_minutes(60);
    let late = Head { sealed_at: NOON.plus(hour), ..head };
    let minted = links[2].event_id.minted_at();
    assert_eq!(late.sealing_floor(last, NOON.plus(hour), window), floor_at(minted));
    assert_eq!(late.sealing_floor(last, NOON.minus(hour), window), floor_at(NOON.minus(hour)));
    let early = Head { sealed_at: NOON.minus(hour), ..head };
    assert_eq!(early.sealing_floor(last, NOON, window), floor_at(NOON.minus(hour)));
    // Before anything is sealed, nothing is too old.
    assert_eq!(head.sealing_floor(None, NOON, window), EventId::from_bytes([0; 16]));
}

#[test]
fn a_noted_head_has_one_spelling() {
    let anchor = Anchor { position: 1042, hash: ChainHash::from_bytes([0x9f; 32]) };
    assert_eq!(anchor.to_string().parse(), Ok(anchor));
    for text in [
        "",
        ":",
        "1042",
        "+1042:9f",
        "-1:9f",
        &format!("x:{}", anchor.hash),
        &format!("1:{}", "9F".repeat(32)),
    ] {
        assert_eq!(text.parse::<Anchor>(), Err(NotAnAnchor), "{text}");
    }
    let signed = format!("+7:{}", anchor.hash);
    assert_eq!(signed.parse::<Anchor>(), Err(NotAnAnchor));
}

#[test]
fn each_finding_is_one_line() {
    let (links, _) = chain(1);
    let finding = Finding::about(Some(1), links[0].event_id, Wrong::Changed);
    let text = finding.to_string();
    assert!(text.starts_with(&format!("position 1, event {}: ", links[0].event_id)));
    assert!(!text.contains('\n'));
    // What a forger wrote into the head is shown escaped.
    let kid = "a\nb\u{1b}[2J".to_owned();
    assert!(!Wrong::HeadKeyUnknown { kid }.to_string().contains(['\n', '\u{1b}']));
}

prop_compose! {
    fn any_row()(
        (id, at, personal_hash) in (any::<[u8; 16]>(), any::<i64>(), any::<Option<[u8; 32]>>()),
        (kind, actor_kind, detail) in ("[ab]{0,3}", "[ab]{0,3}", "[ab]{0,3}"),
        actor_id in proptest::option::of("[ab]{0,3}"),
        subject_kind in proptest::option::of("[ab]{0,3}"),
        subject_id in proptest::option::of("[ab]{0,3}"),
        client in proptest::option::of("[ab]{0,3}"),
        organization in any::<Option<[u8; 16]>>(),
        request in any::<Option<[u8; 16]>>(),
    ) -> LoggedEvent {
        LoggedEvent {
            id: EventId::from_bytes(id),
            at: Timestamp::from_micros(at),
            kind, actor_kind, actor_id, subject_kind, subject_id, client, detail,
            organization: organization.map(OrganizationId::from_bytes),
            request: request.map(RequestId::from_bytes),
            personal_hash: personal_hash.map(ChainHash::from_bytes),
        }
    }
}

/// Takes one column of the other row.
fn with_column_of(row: &LoggedEvent, other: &LoggedEvent, column: usize) -> LoggedEvent {
    let (mut row, other) = (row.clone(), other.clone());
    match column {
        0 => row.id = other.id,
        1 => row.at = other.at,
        2 => row.kind = other.kind,
        3 => row.actor_kind = other.actor_kind,
        4 => row.actor_id = other.actor_id,
        5 => row.subject_kind = other.subject_kind,
        6 => row.subject_id = other.subject_id,
        7 => row.organization = other.organization,
        8 => row.client = other.client,
        9 => row.request = other.request,
        10 => row.detail = other.detail,
        _ => row.personal_hash = other.personal_hash,
    }
    row
}

/// Reads the encoding back, from nothing but the bytes. What can be read back cannot mean two things.
fn decode(bytes: &[u8]) -> Option<Vec<Option<Vec<u8>>>> {
    let (&version, mut rest) = bytes.split_first()?;
    let mut columns = Vec::new();
    while let Some((&present, after)) = rest.split_first() {
        rest = after;
        if present == 0 {
            columns.push(None);
            continue;
        }
        let (length, after) = rest.split_first_chunk::<8>()?;
        let (column, after) = after.split_at_checked(usize::try_from(u64::from_be_bytes(*length)).ok()?)?;
        columns.push(Some(column.to_vec()));
        rest = after;
    }
    (version == VERSION).then_some(columns)
}

proptest! {
    #[test]
    fn a_change_in_any_column_changes_the_bytes(row in any_row(), other in any_row(), column in 0_usize..12) {
        let changed = with_column_of(&row, &other, column);
        prop_assert_eq!(changed == row, changed.canonical() == row.canonical());
        prop_assert_eq!(changed == row, changed.hash_after(ChainHash([0; 32])) == row.hash_after(ChainHash([0; 32])));
        prop_assert_eq!(row == other, row.canonical() == other.canonical());
    }

    #[test]
    fn text_moved_from_one_column_to_the_next_changes_the_bytes(row in any_row(), text in "[ab]{1,6}", cut in 0_usize..7) {
        let cut = cut.min(text.len());
        let split = LoggedEvent { kind: text[..cut].into(), actor_kind: text[cut..].into(), ..row.clone() };
        let whole = LoggedEvent { kind: text.clone(), actor_kind: String::new(), ..row };
        prop_assert_eq!(split == whole, split.canonical() == whole.canonical());
    }

    #[test]
    fn the_bytes_say_every_column(row in any_row()) {
        let columns = decode(&row.canonical()).unwrap();
        prop_assert_eq!(columns.len(), 12);
        prop_assert_eq!(columns[4].as_deref(), row.actor_id.as_ref().map(|text| text.as_bytes()));
        prop_assert_eq!(columns[10].as_deref(), Some(row.detail.as_bytes()));
        prop_assert_eq!(encode(&columns), row.canonical());
    }

    #[test]
    fn any_change_of_any_link_is_found(gone in 0_usize..9, column in 0_usize..12, other in any_row()) {
        let (mut links, head) = chain(9);
        let row = links[gone].event.clone().unwrap();
        let changed = with_column_of(&row, &other, column);
        prop_assume!(changed != row);
        links[gone].event = Some(changed);
        prop_assert!(!walk(&links, &head, &[]).0.is_empty());
    }

    #[test]
    fn no_order_but_the_right_one_passes(order in Just((0_usize..7).collect::<Vec<_>>()).prop_shuffle()) {
        let (links, head) = chain(7);
        let shuffled: Vec<_> = order
            .iter()
            .zip(1..)
            .map(|(&place, position)| Link { position, ..links[place].clone() })
            .collect();
        prop_assert_eq!(walk(&shuffled, &head, &[]).0.is_empty(), order.is_sorted());
    }
}
