use super::*;
use crate::entropy::{DangerouslySeededEntropy, draw_bytes};
use crate::events::log_chain::tests::{any_row, with_column_of};
use crate::events::security_event::{EventKind, RequestOrigin, SecurityEvent, SecurityEventActor};
use crate::time::Lifetime;
use proptest::prelude::*;

const INSTANCE: InstanceId = InstanceId::from_bytes([7; 16]);
const NOON: Timestamp = Timestamp::from_micros(1_794_700_323_456_789);

fn event(number: u8) -> LoggedEvent {
    let entropy = DangerouslySeededEntropy::new(number.into());
    let at = NOON.plus(Lifetime::from_seconds(number.into()));
    let origin = RequestOrigin::new(None, Some([192, 0, 2, number].into()), Some("curl/8"));
    let event = SecurityEvent::new(EventKind::CredentialFailed, SecurityEventActor::Anonymous, at, &entropy)
        .with_origin(&origin);
    LoggedEvent::from_event(&event).0
}

/// A valid chain of this many events, and its head.
fn chain(length: u8) -> (Vec<LogChainLink>, LogChainHead) {
    let mut head = LogChainHead::new_genesis(INSTANCE, NOON);
    let mut links = Vec::new();
    for number in 1..=length {
        let event = event(number);
        let entropy = DangerouslySeededEntropy::new(number.into());
        EventId::mint(NOON, &entropy);
        let personal = PersonalEventData {
            salt: draw_bytes::<16>(&entropy).to_vec(),
            address: Some(format!("192.0.2.{number}").into()),
            user_agent: Some("curl/8".into()),
        };
        assert_eq!(Some(personal.compute_hash()), event.personal_hash);
        head.position += 1;
        head.hash = event.hash_after(head.hash);
        let (position, hash) = (head.position, head.hash);
        links.push(LogChainLink {
            position,
            event_id: event.id,
            hash,
            event: Some(event),
            personal: Some(personal),
        });
    }
    (links, head)
}

fn walk(
    links: &[LogChainLink],
    head: &LogChainHead,
    anchors: &[LogChainAnchor],
) -> (Vec<LogDefect>, ChainVerificationStats) {
    let mut walk = LogChainVerifier::new(INSTANCE, ChainGapPolicy::AreFindings, anchors.iter().copied());
    let mut findings: Vec<_> = links.iter().flat_map(|link| walk.verify_link(link, None)).collect();
    let (last, tally) = walk.finish(head);
    findings.extend(last);
    (findings.into_iter().map(|finding| finding.defect).collect(), tally)
}

#[test]
fn security_log_chain_that_is_intact_has_no_findings() {
    let (links, head) = chain(9);
    let tally = ChainVerificationStats { links: 9, ..ChainVerificationStats::default() };
    assert_eq!(walk(&links, &head, &[]), (vec![], tally));
    let genesis = LogChainHead::new_genesis(INSTANCE, NOON);
    assert_eq!(walk(&[], &genesis, &[]), (vec![], ChainVerificationStats::default()));
}

#[test]
fn security_log_chain_of_another_instance_is_detected() {
    let (links, head) = chain(3);
    let mut walk = LogChainVerifier::new(InstanceId::from_bytes([8; 16]), ChainGapPolicy::AreFindings, []);
    let findings: Vec<_> = links.iter().flat_map(|link| walk.verify_link(link, None)).collect();
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].position, Some(1));
    assert_eq!(walk.finish(&head).0, []);
}

#[test]
fn security_log_deletion_is_one_finding_each() {
    let (links, head) = chain(9);
    for gone in 0..8 {
        let mut without_event = links.clone();
        without_event[gone].event = None;
        assert_eq!(walk(&without_event, &head, &[]).0, [LogDefect::EventMissing]);
        let mut without_link = links.clone();
        let position = without_link.remove(gone).position;
        assert_eq!(
            walk(&without_link, &head, &[]).0,
            [LogDefect::PositionsMissing { from: position, to: position }]
        );
    }
    assert_eq!(walk(&links[..6], &head, &[]).0, [LogDefect::ChainTooShort { head: 9 }]);
    assert_eq!(walk(&[], &head, &[]).0, [LogDefect::ChainTooShort { head: 9 }]);
}

#[test]
fn security_log_addition_is_detected() {
    let (links, head) = chain(9);
    let (shorter, short_head) = (&links[..8], LogChainHead { position: 8, hash: links[7].hash, ..head });
    assert_eq!(walk(shorter, &short_head, &[]).0, []);
    assert_eq!(walk(&links, &short_head, &[]).0, [LogDefect::ChainTooLong { head: 8 }]);
    for impossible in [i64::MIN, -1, 0] {
        let mut added = links.clone();
        added.insert(0, LogChainLink { position: impossible, ..links[8].clone() });
        assert_eq!(walk(&added, &head, &[]).0, [LogDefect::PositionInvalid]);
    }
    let mut twice = links.clone();
    twice.insert(4, links[3].clone());
    assert_eq!(walk(&twice, &head, &[]).0, [LogDefect::PositionInvalid]);
}

#[test]
fn security_log_swapped_events_are_both_detected() {
    let (mut links, head) = chain(9);
    let (one, other) = (links[2].clone(), links[6].clone());
    links[2] = LogChainLink { position: 3, hash: one.hash, ..other.clone() };
    links[6] = LogChainLink { position: 7, hash: other.hash, ..one };
    assert_eq!(walk(&links, &head, &[]).0, [LogDefect::Changed, LogDefect::Changed]);
}

#[test]
fn security_log_recomputed_chain_does_not_match_the_head() {
    let (mut links, head) = chain(9);
    let mut hash = links[3].hash;
    for link in &mut links[4..] {
        let event = link.event.as_mut().unwrap();
        event.detail = "{}".into();
        event.kind = "server.started".into();
        hash = event.hash_after(hash);
        link.hash = hash;
    }
    assert_eq!(walk(&links, &head, &[]).0, [LogDefect::HeadDiffers]);
}

#[test]
fn security_log_personal_data_may_be_erased_but_not_changed() {
    let (mut links, head) = chain(4);
    links[0].personal = None;
    let (findings, tally) = walk(&links, &head, &[]);
    assert_eq!((findings.as_slice(), tally.without_personal), (&[][..], 1));
    links[1].personal.as_mut().unwrap().address = None;
    links[2].personal.as_mut().unwrap().salt.push(0);
    assert_eq!(walk(&links, &head, &[]).0, [LogDefect::PersonalDataChanged, LogDefect::PersonalDataChanged]);
    links[3].event.as_mut().unwrap().personal_hash = None;
    assert!(walk(&links, &head, &[]).0.contains(&LogDefect::PersonalDataAdded));
}

#[test]
fn security_log_event_with_another_time_is_detected() {
    let mut head = LogChainHead::new_genesis(INSTANCE, NOON);
    let mut event = event(1);
    event.at = NOON.minus(Lifetime::from_days(30));
    head = LogChainHead { position: 1, hash: event.hash_after(head.hash), ..head };
    let link =
        LogChainLink { position: 1, event_id: event.id, hash: head.hash, event: Some(event), personal: None };
    assert!(matches!(walk(&[link], &head, &[]).0[..], [LogDefect::TimeDiffersFromId { .. }]));
}

#[test]
fn security_log_anchor_reveals_a_rewritten_or_shortened_log() {
    let (links, head) = chain(9);
    let genesis = LogChainHead::new_genesis(INSTANCE, NOON).anchor();
    let noted = LogChainAnchor { position: 6, hash: links[5].hash };
    let (findings, tally) = walk(&links, &head, &[noted, genesis, head.anchor()]);
    assert_eq!((findings.as_slice(), tally.anchors), (&[][..], 3));
    let differs = LogChainAnchor { hash: links[4].hash, ..noted };
    assert_eq!(walk(&links, &head, &[differs]).0, [LogDefect::AnchorDiffers(differs)]);
    let older = LogChainHead { position: 5, hash: links[4].hash, ..head };
    assert_eq!(walk(&links[..5], &older, &[]).0, []);
    assert_eq!(walk(&links[..5], &older, &[noted]).0, [LogDefect::AnchorMissing(noted)]);
    let of_nothing = LogChainAnchor { position: 0, ..noted };
    assert_eq!(
        walk(&[], &LogChainHead::new_genesis(INSTANCE, NOON), &[of_nothing]).0,
        [LogDefect::AnchorDiffers(of_nothing)]
    );
}

#[test]
fn security_log_filtered_export_may_have_gaps_and_every_line_is_verified() {
    let (links, head) = chain(9);
    let mut walk = LogChainVerifier::new(
        INSTANCE,
        ChainGapPolicy::AreExpected,
        [links[5].position].map(|position| LogChainAnchor { position, hash: links[5].hash }),
    );
    assert_eq!(walk.verify_link(&links[2], Some(links[1].hash)), []);
    assert_eq!(walk.verify_link(&links[3], Some(links[2].hash)), []);
    assert_eq!(walk.verify_link(&links[6], Some(links[5].hash)), []);
    let log_findings = walk.verify_link(&links[7], Some(links[0].hash));
    assert_eq!(log_findings.len(), 2, "{log_findings:?}");
    assert_eq!(log_findings[0].defect, LogDefect::Unlinked);
    let (log_findings, tally) = walk.finish(&head);
    assert_eq!((log_findings, tally.anchors_out_of_reach), (vec![], 1));
}

#[test]
fn security_log_finding_is_one_line() {
    let (links, _) = chain(1);
    let finding = LogFinding::for_event(Some(1), links[0].event_id, LogDefect::Changed);
    let text = finding.to_string();
    assert!(text.starts_with(&format!("position 1, event {}: ", links[0].event_id)));
    assert!(!text.contains('\n'));
    // Text that an attacker wrote into the head is escaped.
    let kid = "a\nb\u{1b}[2J".to_owned();
    assert!(!LogDefect::HeadKeyUnknown { kid }.to_string().contains(['\n', '\u{1b}']));
}

proptest! {
    #[test]
    fn security_log_any_changed_link_is_detected(gone in 0_usize..9, column in 0_usize..12, other in any_row()) {
        let (mut links, head) = chain(9);
        let row = links[gone].event.clone().unwrap();
        let changed = with_column_of(&row, &other, column);
        prop_assume!(changed != row);
        links[gone].event = Some(changed);
        prop_assert!(!walk(&links, &head, &[]).0.is_empty());
    }

    #[test]
    fn security_log_verification_accepts_only_the_original_order(order in Just((0_usize..7).collect::<Vec<_>>()).prop_shuffle()) {
        let (links, head) = chain(7);
        let shuffled: Vec<_> = order
            .iter()
            .zip(1..)
            .map(|(&place, position)| LogChainLink { position, ..links[place].clone() })
            .collect();
        prop_assert_eq!(walk(&shuffled, &head, &[]).0.is_empty(), order.is_sorted());
    }
}
