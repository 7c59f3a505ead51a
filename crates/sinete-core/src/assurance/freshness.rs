//! Whether the evidence in a session is recent and strong enough for an action. Every check of freshness uses
//! a [`ReauthenticationRequirement`]: step-up flows, `max_age` and essential `acr` of an authorization request (in a
//! browser, for device authorization and for CIBA), sensitive account actions and the console
//! (docs/contribute/decisions/0230-assurance-each-proof-expires-separately.md).

use super::{AssuranceLevel, AuthenticationEvidence, AuthenticationProof, DatedProof};
use crate::assurance::proof_method::AuthenticationProofMethod;
use crate::time::{Lifetime, Timestamp};

/// The freshness and strength that an action requires of the session's evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReauthenticationRequirement {
    /// The required assurance level.
    pub level: AssuranceLevel,
    /// The maximum age of the newest proof and, for `aal2`, of the newest second factor. If `None`, every
    /// proof that still counts is accepted.
    pub max_age: Option<Lifetime>,
    /// The accepted second factors.
    pub factors: SecondFactorRule,
}

/// The second factors that are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondFactorRule {
    /// All of them.
    Any,
    /// All except codes by SMS: the user set up a factor that cannot be taken over together with a phone
    /// number.
    WithoutSms,
    /// A passkey, or a recovery code in place of a lost one.
    PasskeyOrRecoveryCode,
}

impl ReauthenticationRequirement {
    /// Requires this level, by any proofs that still count.
    pub const fn for_level(level: AssuranceLevel) -> Self {
        Self { level, max_age: None, factors: SecondFactorRule::Any }
    }

    /// Whether the evidence in a session meets the requirement now.
    pub fn is_satisfied_by(&self, evidence: &AuthenticationEvidence, now: Timestamp) -> bool {
        let authentication_evidence = match self.level {
            AssuranceLevel::One => evidence.clone(),
            AssuranceLevel::Two => evidence.retain_fresh(now),
        };
        let recent = self.max_age.map_or_else(
            || authentication_evidence.clone(),
            |lifetime| authentication_evidence.filter_by_max_age(lifetime, now),
        );
        self.is_satisfied_by_step_up(&authentication_evidence, &recent)
    }

    /// Whether a step-up meets the requirement, by the proofs of its flow and the evidence that still counted
    /// when it began.
    pub fn is_satisfied_by_step_up(
        &self,
        before: &AuthenticationEvidence,
        authentication_evidence: &AuthenticationEvidence,
    ) -> bool {
        let (all, authentication_evidence) = (
            self.filter_accepted(&before.merge(authentication_evidence)),
            self.filter_accepted(authentication_evidence),
        );
        let is_recent = match self.level {
            AssuranceLevel::One => !authentication_evidence.is_empty(),
            // NIST SP 800-63B-4 §2.2.3: giving the password again does not renew an old second factor.
            AssuranceLevel::Two => authentication_evidence.newest_second_factor().is_some(),
        };
        is_recent && all.assurance_level() >= Some(self.level)
    }

    /// Whether this method can contribute to meeting the requirement.
    pub fn accepts_method(&self, proof_method: AuthenticationProofMethod) -> bool {
        match proof_method {
            AuthenticationProofMethod::Totp => self.counts_proof(&AuthenticationProof::Totp),
            AuthenticationProofMethod::SmsCode => self.counts_proof(&AuthenticationProof::SmsCode),
            AuthenticationProofMethod::Password
            | AuthenticationProofMethod::Passkey
            | AuthenticationProofMethod::RecoveryCode
            | AuthenticationProofMethod::SingleSignOn => true,
        }
    }

    fn counts_proof(&self, proof: &AuthenticationProof) -> bool {
        match (self.level, self.factors) {
            (AssuranceLevel::One, _) | (AssuranceLevel::Two, SecondFactorRule::Any) => true,
            (AssuranceLevel::Two, SecondFactorRule::WithoutSms) => *proof != AuthenticationProof::SmsCode,
            (AssuranceLevel::Two, SecondFactorRule::PasskeyOrRecoveryCode) => {
                !matches!(proof, AuthenticationProof::SmsCode | AuthenticationProof::Totp)
            }
        }
    }

    fn filter_accepted(&self, evidence: &AuthenticationEvidence) -> AuthenticationEvidence {
        evidence.filter_proofs(|proof| self.counts_proof(&proof.proof))
    }
}

/// When a second factor was given: just now, or at a known time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondFactorTime {
    /// In a flow that has not ended.
    CurrentFlow,
    /// At this time.
    At(Timestamp),
}

impl AuthenticationEvidence {
    /// When the newest second factor was given, if there is one.
    pub fn newest_second_factor(&self) -> Option<SecondFactorTime> {
        let second = self.0.iter().filter(|proof| proof.proof.is_second_factor());
        let newest = second.map(|proof: &DatedProof| proof.at).reduce(super::latest_time)?;
        Some(newest.map_or(SecondFactorTime::CurrentFlow, SecondFactorTime::At))
    }

    /// When the user authenticated at this level: at `aal2` the time of the last second factor, otherwise
    /// `last`, the time of the last proof. This is `auth_time` next to `acr`.
    pub fn authenticated_at(&self, level: AssuranceLevel, last: Timestamp) -> Timestamp {
        match (level, self.newest_second_factor()) {
            (AssuranceLevel::Two, Some(SecondFactorTime::At(at))) => at.min(last),
            (AssuranceLevel::One | AssuranceLevel::Two, _) => last,
        }
    }
}

impl AuthenticationProof {
    /// Whether it is a second factor: a factor other than a password or e-mail, which reaches `aal2` alone or
    /// with a password.
    const fn is_second_factor(&self) -> bool {
        match self {
            Self::Passkey { .. } | Self::Totp | Self::RecoveryCode | Self::SmsCode => true,
            Self::SingleSignOn { assurance, .. } => matches!(assurance, AssuranceLevel::Two),
            Self::Password | Self::EmailCode | Self::MagicLink => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::AccountId;
    use crate::sign_in::flows::account::FlowAccount;
    use proptest::prelude::*;

    const PASSKEY: AuthenticationProof =
        AuthenticationProof::Passkey { user_verified: true, device_bound: false };
    const NOW: Timestamp = Timestamp::from_seconds(10_000_000);

    fn person(proof_methods: &[AuthenticationProofMethod]) -> FlowAccount {
        let account = AccountId::from_bytes([1; 16]);
        FlowAccount { account, ways: proof_methods.iter().copied().collect(), closed: Default::default() }
    }

    fn proven(proofs: &[(AuthenticationProof, u32)]) -> AuthenticationEvidence {
        let at = |ago: u32| NOW.minus(Lifetime::from_seconds(ago));
        let one = |(proof, ago): &(AuthenticationProof, u32)| {
            AuthenticationEvidence::from_proof(*proof).date_undated_proofs(at(*ago))
        };
        proofs.iter().map(one).fold(AuthenticationEvidence::default(), |all, one| all.merge(&one))
    }

    #[test]
    fn sensitive_actions_need_a_recent_second_factor() {
        use AuthenticationProof::*;
        use AuthenticationProofMethod as Method;
        let hour = 3_600;
        for (proof_methods, proofs, is_met) in [
            (&[Method::Password][..], &[(Password, 300)][..], true),
            (&[Method::Password], &[(Password, 301)], false),
            // A password does not renew an old second factor, but an old password is accepted with a new
            // second factor.
            (&[Method::Password, Method::Passkey], &[(PASSKEY, hour), (Password, 1)], false),
            (&[Method::Password, Method::Passkey], &[(PASSKEY, 1)], true),
            (&[Method::Password, Method::Totp], &[(Password, hour), (Totp, 1)], true),
            (&[Method::Password, Method::Totp], &[(Password, 1), (Totp, hour)], false),
            (&[Method::Password, Method::Totp], &[(Password, 86_401), (Totp, 1)], false),
            // A user with a passkey must use it. A recovery code replaces it, a TOTP code does not.
            (&[Method::Password, Method::Passkey, Method::Totp], &[(Password, 1), (Totp, 1)], false),
            (
                &[Method::Password, Method::Passkey, Method::RecoveryCode],
                &[(Password, 1), (RecoveryCode, 1)],
                true,
            ),
            (&[Method::Passkey, Method::SmsCode], &[(PASSKEY, hour), (SmsCode, 1)], false),
            // A code by SMS does not replace an authenticator app.
            (&[Method::Password, Method::Totp, Method::SmsCode], &[(Password, 1), (SmsCode, 1)], false),
            (
                &[Method::Password, Method::RecoveryCode, Method::SmsCode],
                &[(Password, 1), (SmsCode, 1)],
                true,
            ),
            (&[Method::Password, Method::SmsCode], &[(Password, 1)], true),
        ] {
            let demand = ReauthenticationRequirement::for_sensitive_action(&person(proof_methods));
            assert_eq!(demand.is_satisfied_by(&proven(proofs), NOW), is_met, "{proof_methods:?} {proofs:?}");
        }
    }

    #[test]
    fn sensitive_actions_demand_the_same_level_when_totp_is_locked() {
        let mut ana = person(&[AuthenticationProofMethod::Password, AuthenticationProofMethod::SmsCode]);
        ana.closed.insert(AuthenticationProofMethod::Totp);
        let demand = ReauthenticationRequirement::for_sensitive_action(&ana);
        assert_eq!(demand.level, AssuranceLevel::Two);
        assert!(!demand.is_satisfied_by(&proven(&[(AuthenticationProof::Password, 1)]), NOW));
        assert!(demand.is_satisfied_by(
            &proven(&[(AuthenticationProof::Password, 1), (AuthenticationProof::SmsCode, 1)]),
            NOW
        ));
    }

    #[test]
    fn max_age_applies_to_the_second_factor_of_the_level() {
        let within = |limit| ReauthenticationRequirement {
            max_age: Some(Lifetime::from_seconds(limit)),
            ..ReauthenticationRequirement::for_level(AssuranceLevel::Two)
        };
        let evidence = proven(&[(PASSKEY, 3_600), (AuthenticationProof::Password, 1)]);
        assert!(ReauthenticationRequirement::for_level(AssuranceLevel::Two).is_satisfied_by(&evidence, NOW));
        assert!(within(3_600).is_satisfied_by(&evidence, NOW));
        assert!(!within(3_599).is_satisfied_by(&evidence, NOW));
        let lower = ReauthenticationRequirement { level: AssuranceLevel::One, ..within(60) };
        assert!(lower.is_satisfied_by(&evidence, NOW));
        let last = NOW.minus(Lifetime::from_seconds(1));
        assert_eq!(evidence.authenticated_at(AssuranceLevel::One, last), last);
        let passkey_at = NOW.minus(Lifetime::from_seconds(3_600));
        assert_eq!(evidence.authenticated_at(AssuranceLevel::Two, last), passkey_at);
    }

    fn any_proof() -> impl Strategy<Value = AuthenticationProof> {
        prop::sample::select(vec![
            PASSKEY,
            AuthenticationProof::Password,
            AuthenticationProof::Totp,
            AuthenticationProof::RecoveryCode,
            AuthenticationProof::SmsCode,
            AuthenticationProof::EmailCode,
        ])
    }

    fn any_ways() -> impl Strategy<Value = Vec<AuthenticationProofMethod>> {
        let all = vec![
            AuthenticationProofMethod::Password,
            AuthenticationProofMethod::Passkey,
            AuthenticationProofMethod::Totp,
            AuthenticationProofMethod::RecoveryCode,
            AuthenticationProofMethod::SmsCode,
        ];
        prop::sample::subsequence(all, 1..=5)
    }

    proptest! {
        /// Completing the step-up that a sensitive action requires allows the action, so no user ends in a
        /// dead end.
        #[test]
        fn step_up_completed_satisfies_the_sensitive_action_that_required_it(
            ways in any_ways(), before in prop::collection::vec((any_proof(), 0_u32..86_400), 0..4),
            given in prop::collection::vec(any_proof(), 1..4),
        ) {
            let ana = person(&ways);
            let sensitive = ReauthenticationRequirement::for_sensitive_action(&ana);
            let step_up = ReauthenticationRequirement::for_step_up(sensitive.level, &ana);
            let (before, given) = (proven(&before), given.into_iter().fold(AuthenticationEvidence::default(), AuthenticationEvidence::with_proof));
            if step_up.is_satisfied_by_step_up(&before, &given) {
                prop_assert!(sensitive.is_satisfied_by(&before.merge(&given).date_undated_proofs(NOW), NOW));
            }
            let offered = ana.ways.iter().filter(|way| step_up.accepts_method(**way)).copied();
            let everything = offered.filter_map(AuthenticationProofMethod::strongest_proof).fold(AuthenticationEvidence::default(), AuthenticationEvidence::with_proof);
            prop_assert!(everything.is_empty() || step_up.is_satisfied_by_step_up(&AuthenticationEvidence::default(), &everything));
        }
    }
}
