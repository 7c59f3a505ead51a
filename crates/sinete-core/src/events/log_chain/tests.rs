use super::*;
use crate::client_id::ClientId;
use crate::entropy::DangerouslySeededEntropy;
use crate::events::security_event::{EventKind, RequestOrigin, SecurityEventActor};
use crate::id::AccountId;
use proptest::prelude::*;

const INSTANCE: InstanceId = InstanceId::from_bytes([7; 16]);
const NOON: Timestamp = Timestamp::from_micros(1_794_700_323_456_789);

/// The example of `docs/operate/security-log.md`.
fn example() -> (LoggedEvent, PersonalEventData) {
    let personal = PersonalEventData {
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
        personal_hash: Some(personal.compute_hash()),
    };
    (event, personal)
}

#[test]
fn security_log_example_in_the_docs_has_the_documented_bytes() {
    let (event, personal) = example();
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let genesis = LogChainHead::new_genesis(INSTANCE, NOON).hash;
    let document = include_str!("../../../../../docs/operate/security-log.md");
    let head = LogChainHead { position: 1, hash: event.hash_after(genesis), sealed_at: NOON };
    for documented in [
        personal.compute_hash().to_string(),
        hex(&event.canonical_bytes()),
        genesis.to_string(),
        head.hash.to_string(),
        hex(&head.signed_bytes(INSTANCE)),
    ] {
        let folded: String = document.split_whitespace().collect();
        assert!(folded.contains(&documented), "docs/operate/security-log.md does not hold {documented}");
    }
}

#[test]
fn security_log_row_keeps_every_field_of_an_event() {
    let entropy = DangerouslySeededEntropy::new(9);
    let account = AccountId::mint(NOON, &entropy);
    let organization = OrganizationId::mint(NOON, &entropy);
    let request = RequestId::mint(NOON, &entropy);
    let client: ClientId = "shop".parse().unwrap();
    let origin = RequestOrigin::new(Some(request), Some([192, 0, 2, 7].into()), Some("curl/8"));
    let event =
        SecurityEvent::new(EventKind::GrantRevoked, SecurityEventActor::Account(account), NOON, &entropy)
            .with_subject("grant", "g")
            .with_organization(organization)
            .with_client(client)
            .with_origin(&origin)
            .with_detail("why", "asked");
    let (row, personal) = LoggedEvent::from_event(&event);
    let personal = personal.unwrap();
    assert_eq!((row.id, row.at), (event.id, NOON));
    assert_eq!((row.kind.as_str(), row.actor_kind.as_str()), ("grant.revoked", "account"));
    assert_eq!(row.actor_id, Some(account.to_string().into()));
    assert_eq!((row.subject_kind.as_deref(), row.subject_id.as_deref()), (Some("grant"), Some("g")));
    assert_eq!((row.organization, row.request), (Some(organization), Some(request)));
    assert_eq!((row.client.as_deref(), row.detail.as_str()), (Some("shop"), r#"{"why":"asked"}"#));
    assert_eq!(personal.address.as_deref(), Some("192.0.2.7"));
    assert_eq!(personal.user_agent.as_deref(), Some("curl/8"));
    assert_eq!(row.personal_hash, Some(personal.compute_hash()));
    assert!(row.has_consistent_timestamp());
}

#[test]
fn security_log_event_without_an_origin_has_no_personal_data() {
    let event = SecurityEvent::new(
        EventKind::ServerStarted,
        SecurityEventActor::System,
        NOON,
        &DangerouslySeededEntropy::new(1),
    );
    let (row, personal) = LoggedEvent::from_event(&event);
    assert_eq!((row.personal_hash, personal), (None, None));
}

#[test]
fn security_log_personal_hash_does_not_reveal_equal_addresses() {
    assert_ne!(
        PersonalEventData { salt: vec![1; 16], address: Some("192.0.2.7".into()), user_agent: None }
            .compute_hash(),
        PersonalEventData { salt: vec![2; 16], address: Some("192.0.2.7".into()), user_agent: None }
            .compute_hash(),
    );
}

#[test]
fn security_log_sealer_looks_back_from_the_earliest_clock() {
    let head = LogChainHead { position: 3, ..LogChainHead::new_genesis(INSTANCE, NOON) };
    let id = EventId::mint(NOON.plus(Lifetime::from_seconds(3)), &DangerouslySeededEntropy::new(1));
    let last = Some(id);
    let window = Lifetime::from_minutes(10);
    let floor_at = |at: Timestamp| EventId::lower_bound_at(at.minus(window));
    let hour = Lifetime::from_minutes(60);
    let late = LogChainHead { sealed_at: NOON.plus(hour), ..head };
    let minted = id.minted_at();
    assert_eq!(late.sealing_floor(last, NOON.plus(hour), window), floor_at(minted));
    assert_eq!(late.sealing_floor(last, NOON.minus(hour), window), floor_at(NOON.minus(hour)));
    let early = LogChainHead { sealed_at: NOON.minus(hour), ..head };
    assert_eq!(early.sealing_floor(last, NOON, window), floor_at(NOON.minus(hour)));
    // Before the first seal, no event is too old.
    assert_eq!(head.sealing_floor(None, NOON, window), EventId::from_bytes([0; 16]));
}

#[test]
fn security_log_anchor_has_one_spelling() {
    let anchor = LogChainAnchor { position: 1042, hash: LogChainHash::from_bytes([0x9f; 32]) };
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
        assert_eq!(text.parse::<LogChainAnchor>(), Err(InvalidChainAnchor), "{text}");
    }
    let signed = format!("+7:{}", anchor.hash);
    assert_eq!(signed.parse::<LogChainAnchor>(), Err(InvalidChainAnchor));
}

prop_compose! {
    pub(super) fn any_row()(
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
            kind: kind.into(),
            actor_kind: actor_kind.into(),
            actor_id: actor_id.map(Into::into),
            subject_kind: subject_kind.map(Into::into),
            subject_id: subject_id.map(Into::into),
            client: client.map(Into::into),
            detail: detail.into(),
            organization: organization.map(OrganizationId::from_bytes),
            request: request.map(RequestId::from_bytes),
            personal_hash: personal_hash.map(LogChainHash::from_bytes),
        }
    }
}

/// Replaces one column by that of the other row.
pub(super) fn with_column_of(row: &LoggedEvent, other: &LoggedEvent, column: usize) -> LoggedEvent {
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

/// Decodes the encoding from the bytes alone. What decodes uniquely is unambiguous.
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
    fn security_log_canonical_bytes_change_with_any_column(row in any_row(), other in any_row(), column in 0_usize..12) {
        let changed = with_column_of(&row, &other, column);
        prop_assert_eq!(changed == row, changed.canonical_bytes() == row.canonical_bytes());
        prop_assert_eq!(changed == row, changed.hash_after(LogChainHash([0; 32])) == row.hash_after(LogChainHash([0; 32])));
        prop_assert_eq!(row == other, row.canonical_bytes() == other.canonical_bytes());
    }

    #[test]
    fn security_log_canonical_bytes_change_when_text_moves_between_columns(row in any_row(), text in "[ab]{1,6}", cut in 0_usize..7) {
        let cut = cut.min(text.len());
        let split = LoggedEvent { kind: text[..cut].into(), actor_kind: text[cut..].into(), ..row.clone() };
        let whole = LoggedEvent { kind: text.into(), actor_kind: Default::default(), ..row };
        prop_assert_eq!(split == whole, split.canonical_bytes() == whole.canonical_bytes());
    }

    #[test]
    fn security_log_canonical_bytes_contain_every_column(row in any_row()) {
        let columns = decode(&row.canonical_bytes()).unwrap();
        prop_assert_eq!(columns.len(), 12);
        prop_assert_eq!(columns[4].as_deref(), row.actor_id.as_ref().map(|text| text.as_bytes()));
        prop_assert_eq!(columns[10].as_deref(), Some(row.detail.as_bytes()));
        let columns: Vec<_> = columns.iter().map(|column| column.as_deref()).collect();
        prop_assert_eq!(encode(&columns), row.canonical_bytes());
    }
}
