//! The level that each proof reaches, and for how long.

use super::*;
use proptest::prelude::*;

const HERE: OrganizationId = OrganizationId::from_bytes([7; 16]);

fn vouched(assurance: AssuranceLevel) -> AuthenticationProof {
    AuthenticationProof::SingleSignOn { assurance, organization: HERE }
}

#[test]
fn identity_provider_assurance_applies_only_in_its_own_organization() {
    let elsewhere = OrganizationId::from_bytes([8; 16]);
    let authentication_evidence = AuthenticationEvidence::from_proof(vouched(AssuranceLevel::Two))
        .with_proof(AuthenticationProof::EmailCode);
    assert_eq!(
        authentication_evidence.restrict_to_organization(HERE).assurance_level(),
        Some(AssuranceLevel::Two)
    );
    assert_eq!(
        authentication_evidence.restrict_to_organization(elsewhere).assurance_level(),
        Some(AssuranceLevel::One)
    );
    assert_eq!(
        AuthenticationEvidence::from_proof(vouched(AssuranceLevel::Two))
            .restrict_to_organization(elsewhere)
            .assurance_level(),
        None
    );
    assert_eq!(
        authentication_evidence.exclude_identity_providers(),
        AuthenticationEvidence::from_proof(AuthenticationProof::EmailCode)
    );
    assert!(
        authentication_evidence.includes_identity_provider()
            && !authentication_evidence.exclude_identity_providers().includes_identity_provider()
    );
}

const VERIFIED: AuthenticationProof =
    AuthenticationProof::Passkey { user_verified: true, device_bound: false };
const TOUCHED: AuthenticationProof =
    AuthenticationProof::Passkey { user_verified: false, device_bound: true };

fn evidence(proofs: &[AuthenticationProof]) -> AuthenticationEvidence {
    proofs.iter().fold(AuthenticationEvidence::default(), |evidence, proof| evidence.with_proof(*proof))
}

#[test]
fn credentials_that_an_organization_disallows_are_ignored_in_that_organization() {
    let authentication_evidence = evidence(&[AuthenticationProof::Password, AuthenticationProof::Totp]);
    let only = |kinds: &[CredentialKind]| {
        authentication_evidence.restrict_to_kinds(&kinds.iter().copied().collect()).assurance_level()
    };
    assert_eq!(only(&[CredentialKind::Password, CredentialKind::Totp]), Some(AssuranceLevel::Two));
    assert_eq!(only(&[CredentialKind::Totp]), Some(AssuranceLevel::One));
    assert_eq!(only(&[CredentialKind::Passkey]), None);
}

#[test]
fn authentication_methods_map_to_assurance_and_amr() {
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
        assert_eq!(evidence.assurance_level(), Some(level), "{proofs:?}");
        assert_eq!(evidence.amr_values().into_iter().collect::<Vec<_>>(), methods, "{proofs:?}");
    }
    assert_eq!(AuthenticationEvidence::default().assurance_level(), None);
}

#[test]
fn assurance_aal2_fades_after_an_hour_idle_or_a_day() {
    let start = Timestamp::from_seconds(1_000_000);
    let authentication_evidence = evidence(&[VERIFIED]).date_undated_proofs(start);
    let after = |seconds| start.plus(Lifetime::from_seconds(seconds));
    assert_eq!(authentication_evidence.effective_level(start, after(3600)), Some(AssuranceLevel::Two));
    assert_eq!(authentication_evidence.effective_level(start, after(3601)), Some(AssuranceLevel::One));
    assert_eq!(
        authentication_evidence.effective_level(after(86_000), after(86_400)),
        Some(AssuranceLevel::Two)
    );
    assert_eq!(
        authentication_evidence.effective_level(after(86_400), after(86_401)),
        Some(AssuranceLevel::One)
    );
    assert_eq!(AuthenticationEvidence::default().effective_level(start, start), None);
}

#[test]
fn evidence_age_is_not_renewed_by_later_proofs() {
    let day = |days: u32| Timestamp::from_seconds(1_000_000).plus(Lifetime::from_days(days));
    let dated_evidence = evidence(&[VERIFIED])
        .date_undated_proofs(day(0))
        .with_proof(AuthenticationProof::Password)
        .date_undated_proofs(day(1));
    assert_eq!(dated_evidence.effective_level(day(1), day(1)), Some(AssuranceLevel::Two));
    let later = day(1).plus(Lifetime::from_seconds(1));
    assert_eq!(dated_evidence.effective_level(later, later), Some(AssuranceLevel::One));
    assert_eq!(
        dated_evidence.retain_fresh(later),
        AuthenticationEvidence::from_proof(AuthenticationProof::Password).date_undated_proofs(day(1))
    );
    // Repeating a proof renews its time, in whichever order the two are merged.
    let authentication_evidence = evidence(&[VERIFIED]).date_undated_proofs(day(2));
    for both in
        [dated_evidence.merge(&authentication_evidence), authentication_evidence.merge(&dated_evidence)]
    {
        assert_eq!(both.effective_level(day(3), day(3)), Some(AssuranceLevel::Two));
    }
    assert_eq!(dated_evidence.clone().with_proof(VERIFIED).retain_fresh(day(9)), evidence(&[VERIFIED]));
}

#[test]
fn evidence_stored_by_an_earlier_version_is_dated_on_read() {
    let stored = r#"["password",{"passkey":{"user_verified":true,"device_bound":false}}]"#;
    let read: AuthenticationEvidence = serde_json::from_str(stored).unwrap();
    assert_eq!(read, evidence(&[AuthenticationProof::Password, VERIFIED]));
    let dated = read.date_undated_proofs(Timestamp::from_micros(7));
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
    fn assurance_is_never_lowered_by_another_proof_nor_raised_by_time(
        proofs in proptest::collection::vec(any_proof(), 0..5), more in any_proof(),
        used in 0_u32..200_000, now in 0_u32..200_000,
    ) {
        let before = evidence(&proofs);
        prop_assert!(before.clone().with_proof(more).assurance_level() >= before.assurance_level());
        let start = Timestamp::EPOCH;
        let at = |seconds| start.plus(Lifetime::from_seconds(seconds));
        let dated = before.clone().date_undated_proofs(start);
        prop_assert!(dated.effective_level(at(used), at(used.max(now))) <= before.assurance_level());
    }

    #[test]
    fn email_and_possession_without_a_password_never_reach_aal2(
        proofs in proptest::collection::vec(any_proof(), 0..6),
    ) {
        let weak: Vec<_> = proofs
            .into_iter()
            .filter(|proof| !matches!(
                proof,
                AuthenticationProof::Password | AuthenticationProof::Passkey { user_verified: true, .. } | AuthenticationProof::SingleSignOn { assurance: AssuranceLevel::Two, .. }
            ))
            .collect();
        prop_assert_ne!(evidence(&weak).assurance_level(), Some(AssuranceLevel::Two));
    }
}
