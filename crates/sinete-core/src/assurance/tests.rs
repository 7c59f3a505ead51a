//! What each proof is worth, and for how long.

use super::*;
use proptest::prelude::*;

const HERE: OrganizationId = OrganizationId::from_bytes([7; 16]);

fn vouched(assurance: AssuranceLevel) -> AuthenticationProof {
    AuthenticationProof::SingleSignOn { assurance, organization: HERE }
}

#[test]
fn what_a_provider_says_counts_in_its_own_organization_and_nowhere_else() {
    let elsewhere = OrganizationId::from_bytes([8; 16]);
    let proven = AuthenticationEvidence::of(vouched(AssuranceLevel::Two)).and(AuthenticationProof::EmailCode);
    assert_eq!(proven.within(HERE).assurance(), Some(AssuranceLevel::Two));
    assert_eq!(proven.within(elsewhere).assurance(), Some(AssuranceLevel::One));
    assert_eq!(AuthenticationEvidence::of(vouched(AssuranceLevel::Two)).within(elsewhere).assurance(), None);
    assert_eq!(proven.own(), AuthenticationEvidence::of(AuthenticationProof::EmailCode));
    assert!(proven.is_vouched_for() && !proven.own().is_vouched_for());
}

const VERIFIED: AuthenticationProof =
    AuthenticationProof::Passkey { user_verified: true, device_bound: false };
const TOUCHED: AuthenticationProof =
    AuthenticationProof::Passkey { user_verified: false, device_bound: true };

fn evidence(proofs: &[AuthenticationProof]) -> AuthenticationEvidence {
    proofs.iter().fold(AuthenticationEvidence::default(), |evidence, proof| evidence.and(*proof))
}

#[test]
fn what_an_organization_does_not_allow_counts_for_nothing_there() {
    let proven = evidence(&[AuthenticationProof::Password, AuthenticationProof::Totp]);
    let only = |kinds: &[CredentialKind]| proven.with_only(&kinds.iter().copied().collect()).assurance();
    assert_eq!(only(&[CredentialKind::Password, CredentialKind::Totp]), Some(AssuranceLevel::Two));
    assert_eq!(only(&[CredentialKind::Totp]), Some(AssuranceLevel::One));
    assert_eq!(only(&[CredentialKind::Passkey]), None);
}

#[test]
fn each_way_of_signing_in_counts_for_what_it_proves() {
    use AssuranceLevel::{One, Two};
    use AuthenticationProof::*;
    for (proofs, level, methods) in [
        (&[VERIFIED][..], Two, &["mfa", "swk", "user"][..]),
        (&[TOUCHED], One, &["hwk"]),
        (&[TOUCHED, Password], Two, &["hwk", "mfa", "pwd"]),
        (&[Password], One, &["pwd"]),
        (&[Password, Totp], Two, &["mfa", "otp", "pwd"]),
        (&[Password, RecoveryCode], Two, &["mfa", "otp", "pwd"]),
        (&[Password, SmsCode], Two, &["mfa", "pwd", "sms"]),
        (&[Totp], One, &["otp"]),
        (&[Totp, SmsCode], One, &["otp", "sms"]),
        (&[MagicLink], One, &["email"]),
        (&[EmailCode, Totp], One, &["email", "otp"]),
        (&[Password, EmailCode], One, &["email", "pwd"]),
        (&[vouched(One)], One, &["fed"]),
        (&[vouched(Two)], Two, &["fed", "mfa"]),
    ] {
        let evidence = evidence(proofs);
        assert_eq!(evidence.assurance(), Some(level), "{proofs:?}");
        assert_eq!(evidence.methods().into_iter().collect::<Vec<_>>(), methods, "{proofs:?}");
    }
    assert_eq!(AuthenticationEvidence::default().assurance(), None);
}

#[test]
fn the_higher_level_fades_after_an_hour_of_rest_or_a_day() {
    let start = Timestamp::from_seconds(1_000_000);
    let proven = evidence(&[VERIFIED]).dated(start);
    let after = |seconds| start.plus(Lifetime::from_seconds(seconds));
    assert_eq!(proven.effective(start, after(3600)), Some(AssuranceLevel::Two));
    assert_eq!(proven.effective(start, after(3601)), Some(AssuranceLevel::One));
    assert_eq!(proven.effective(after(86_000), after(86_400)), Some(AssuranceLevel::Two));
    assert_eq!(proven.effective(after(86_400), after(86_401)), Some(AssuranceLevel::One));
    assert_eq!(AuthenticationEvidence::default().effective(start, start), None);
}

#[test]
fn evidence_ages_by_itself_whatever_is_proven_after_it() {
    let day = |days: u32| Timestamp::from_seconds(1_000_000).plus(Lifetime::from_days(days));
    let again = evidence(&[VERIFIED]).dated(day(0)).and(AuthenticationProof::Password).dated(day(1));
    assert_eq!(again.effective(day(1), day(1)), Some(AssuranceLevel::Two));
    let later = day(1).plus(Lifetime::from_seconds(1));
    assert_eq!(again.effective(later, later), Some(AssuranceLevel::One));
    assert_eq!(again.lasting(later), AuthenticationEvidence::of(AuthenticationProof::Password).dated(day(1)));
    // Given again, it is as new as its last time, in whichever order the two are put together.
    let anew = evidence(&[VERIFIED]).dated(day(2));
    for both in [again.with(&anew), anew.with(&again)] {
        assert_eq!(both.effective(day(3), day(3)), Some(AssuranceLevel::Two));
    }
    assert_eq!(again.clone().and(VERIFIED).lasting(day(9)), evidence(&[VERIFIED]));
}

#[test]
fn evidence_stored_by_an_earlier_program_is_read_and_dated_by_its_reader() {
    let stored = r#"["password",{"passkey":{"user_verified":true,"device_bound":false}}]"#;
    let read: AuthenticationEvidence = serde_json::from_str(stored).unwrap();
    assert_eq!(read, evidence(&[AuthenticationProof::Password, VERIFIED]));
    let dated = read.dated(Timestamp::from_micros(7));
    let text = serde_json::to_string(&dated).unwrap();
    assert_eq!(text, r#"[["password",7],[{"passkey":{"user_verified":true,"device_bound":false}},7]]"#);
    assert_eq!(serde_json::from_str::<AuthenticationEvidence>(&text).unwrap(), dated);
}

fn any_proof() -> impl Strategy<Value = AuthenticationProof> {
    prop_oneof![
        (any::<bool>(), any::<bool>()).prop_map(|(user_verified, device_bound)| {
            AuthenticationProof::Passkey { user_verified, device_bound }
        }),
        Just(AuthenticationProof::Password),
        Just(AuthenticationProof::Totp),
        Just(AuthenticationProof::RecoveryCode),
        Just(AuthenticationProof::SmsCode),
        Just(AuthenticationProof::EmailCode),
        Just(AuthenticationProof::MagicLink),
        Just(vouched(AssuranceLevel::One)),
        Just(vouched(AssuranceLevel::Two)),
    ]
}

proptest! {
    #[test]
    fn a_proof_more_never_lowers_and_time_never_raises(
        proofs in proptest::collection::vec(any_proof(), 0..5), more in any_proof(),
        used in 0_u32..200_000, now in 0_u32..200_000,
    ) {
        let before = evidence(&proofs);
        prop_assert!(before.clone().and(more).assurance() >= before.assurance());
        let start = Timestamp::EPOCH;
        let at = |seconds| start.plus(Lifetime::from_seconds(seconds));
        let dated = before.clone().dated(start);
        prop_assert!(dated.effective(at(used), at(used.max(now))) <= before.assurance());
    }

    #[test]
    fn mail_and_possession_without_a_password_never_make_two(
        proofs in proptest::collection::vec(any_proof(), 0..6),
    ) {
        let weak: Vec<_> = proofs
            .into_iter()
            .filter(|proof| !matches!(
                proof,
                AuthenticationProof::Password | AuthenticationProof::Passkey { user_verified: true, .. } | AuthenticationProof::SingleSignOn { assurance: AssuranceLevel::Two, .. }
            ))
            .collect();
        prop_assert_ne!(evidence(&weak).assurance(), Some(AssuranceLevel::Two));
    }
}
