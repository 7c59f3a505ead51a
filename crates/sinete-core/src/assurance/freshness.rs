//! Whether what somebody proved is recent enough and strong enough for what is about to happen. Every path that relies on
//! how fresh a proof is asks a [`FreshnessDemand`]: step-up flows, `max_age` and essential `acr` of an authorization
//! request (in a browser, for a device and for CIBA), sensitive account actions and the console
//! (docs/contribute/decisions/0230-assurance-each-proof-expires-separately.md).

use super::{AssuranceLevel, AuthenticationEvidence, AuthenticationProof, DatedProof};
use crate::limits::SENSITIVE_ACTION_AGE_MAX;
use crate::sign_in::flows::account::{AuthenticationProofMethod, FlowAccount};
use crate::time::{Lifetime, Timestamp};

/// What a use of a session demands of the evidence in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreshnessDemand {
    /// The level.
    pub level: AssuranceLevel,
    /// How long ago the newest proof may have been given and, for `aal2`, the newest second factor. Without it,
    /// whatever still counts will do.
    pub max_age: Option<Lifetime>,
    /// The second factors that count.
    pub factors: SecondFactorRule,
}

/// The second factors that count for a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondFactorRule {
    /// Each of them.
    Any,
    /// Each but digits by SMS: the person set up something that nobody takes over with a telephone number.
    WithoutSms,
    /// A passkey, or the recovery code that stands in for a lost one.
    PasskeyOrRecoveryCode,
}

impl FreshnessDemand {
    /// This level, by whatever still counts.
    pub const fn for_level(level: AssuranceLevel) -> Self {
        Self { level, max_age: None, factors: SecondFactorRule::Any }
    }

    /// What a sensitive action demands of this person: a proof of the last minutes, as strong as what they set up. Whoever
    /// has a passkey is asked for it: a password and digits can be phished together.
    pub fn for_sensitive_action(person: &FlowAccount) -> Self {
        Self {
            max_age: Some(SENSITIVE_ACTION_AGE_MAX),
            ..Self::for_step_up(person.default_assurance_level(), person)
        }
    }

    /// What a step-up that the person began demands. It is what a sensitive action demands, so that whoever completes one
    /// can do the other.
    pub fn for_step_up(level: AssuranceLevel, person: &FlowAccount) -> Self {
        let factors = if person.ways.contains(&AuthenticationProofMethod::Passkey) {
            SecondFactorRule::PasskeyOrRecoveryCode
        } else {
            Self::for_authorization_request(level, person).factors
        };
        Self { level, max_age: None, factors }
    }

    /// What a step-up demands that an authorization request leads through.
    pub fn for_authorization_request(level: AssuranceLevel, person: &FlowAccount) -> Self {
        let has_stronger = person.ways.contains(&AuthenticationProofMethod::Passkey)
            || person.ways.contains(&AuthenticationProofMethod::Totp);
        let factors = if has_stronger { SecondFactorRule::WithoutSms } else { SecondFactorRule::Any };
        Self { level, max_age: None, factors }
    }

    /// Whether the evidence in a session meets it now.
    pub fn is_satisfied_by(&self, evidence: &AuthenticationEvidence, now: Timestamp) -> bool {
        let counted = match self.level {
            AssuranceLevel::One => evidence.clone(),
            AssuranceLevel::Two => evidence.retain_fresh(now),
        };
        let recent = self.max_age.map_or_else(|| counted.clone(), |most| counted.proven_within(most, now));
        self.is_satisfied_by_step_up(&counted, &recent)
    }

    /// Whether a step-up meets it, by what was given in its flow and what still counted when it began.
    pub fn is_satisfied_by_step_up(
        &self,
        before: &AuthenticationEvidence,
        given: &AuthenticationEvidence,
    ) -> bool {
        let (all, given) = (self.filter_accepted(&before.merge(given)), self.filter_accepted(given));
        let is_recent = match self.level {
            AssuranceLevel::One => !given.is_empty(),
            // NIST SP 800-63B-4 §2.2.3: a password given again does not make an old second factor a new one.
            AssuranceLevel::Two => given.newest_second_factor().is_some(),
        };
        is_recent && all.assurance_level() >= Some(self.level)
    }

    /// Whether something can be proven in this way where this is demanded.
    pub fn accepts_method(&self, way: AuthenticationProofMethod) -> bool {
        match way {
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
        evidence.filter_proofs(|given| self.counts_proof(&given.proof))
    }
}

/// When a second factor was given: just now, or at a moment in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvidenceTime {
    /// In a flow that has not ended.
    JustNow,
    /// At this moment.
    Moment(Timestamp),
}

impl AuthenticationEvidence {
    /// When the newest second factor was given, where there is one.
    pub fn newest_second_factor(&self) -> Option<EvidenceTime> {
        let second = self.0.iter().filter(|given| given.proof.is_second_factor());
        let newest = second.map(|given: &DatedProof| given.at).reduce(super::latest_time)?;
        Some(newest.map_or(EvidenceTime::JustNow, EvidenceTime::Moment))
    }

    /// When somebody was authenticated at this level: at `aal2` when they last gave a second factor, and otherwise when
    /// they last proved anything, which the caller knows. It is what `auth_time` says beside `acr`.
    pub fn authenticated_at(&self, level: AssuranceLevel, last: Timestamp) -> Timestamp {
        match (level, self.newest_second_factor()) {
            (AssuranceLevel::Two, Some(EvidenceTime::Moment(at))) => at.min(last),
            (AssuranceLevel::One | AssuranceLevel::Two, _) => last,
        }
    }
}

impl AuthenticationProof {
    /// Whether it is more than something known or mailed: what makes the higher level, alone or with a password.
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
    use proptest::prelude::*;

    const PASSKEY: AuthenticationProof =
        AuthenticationProof::Passkey { user_verified: true, device_bound: false };
    const NOW: Timestamp = Timestamp::from_seconds(10_000_000);

    fn person(ways: &[AuthenticationProofMethod]) -> FlowAccount {
        let account = AccountId::from_bytes([1; 16]);
        FlowAccount { account, ways: ways.iter().copied().collect(), closed: Default::default() }
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
        for (ways, proofs, is_met) in [
            (&[Method::Password][..], &[(Password, 300)][..], true),
            (&[Method::Password], &[(Password, 301)], false),
            // A password does not make an old second factor a new one; an old password will do beside a new one.
            (&[Method::Password, Method::Passkey], &[(PASSKEY, hour), (Password, 1)], false),
            (&[Method::Password, Method::Passkey], &[(PASSKEY, 1)], true),
            (&[Method::Password, Method::Totp], &[(Password, hour), (Totp, 1)], true),
            (&[Method::Password, Method::Totp], &[(Password, 1), (Totp, hour)], false),
            (&[Method::Password, Method::Totp], &[(Password, 86_401), (Totp, 1)], false),
            // Whoever has a passkey is asked for it; a recovery code stands in for it, and digits do not.
            (&[Method::Password, Method::Passkey, Method::Totp], &[(Password, 1), (Totp, 1)], false),
            (
                &[Method::Password, Method::Passkey, Method::RecoveryCode],
                &[(Password, 1), (RecoveryCode, 1)],
                true,
            ),
            (&[Method::Passkey, Method::SmsCode], &[(PASSKEY, hour), (SmsCode, 1)], false),
            // A telephone does not stand in for an application.
            (&[Method::Password, Method::Totp, Method::SmsCode], &[(Password, 1), (SmsCode, 1)], false),
            (
                &[Method::Password, Method::RecoveryCode, Method::SmsCode],
                &[(Password, 1), (SmsCode, 1)],
                true,
            ),
            (&[Method::Password, Method::SmsCode], &[(Password, 1)], true),
        ] {
            let demand = FreshnessDemand::for_sensitive_action(&person(ways));
            assert_eq!(demand.is_satisfied_by(&proven(proofs), NOW), is_met, "{ways:?} {proofs:?}");
        }
    }

    #[test]
    fn sensitive_actions_demand_the_same_level_when_totp_is_locked() {
        let mut ana = person(&[AuthenticationProofMethod::Password, AuthenticationProofMethod::SmsCode]);
        ana.closed.insert(AuthenticationProofMethod::Totp);
        let demand = FreshnessDemand::for_sensitive_action(&ana);
        assert_eq!(demand.level, AssuranceLevel::Two);
        assert!(!demand.is_satisfied_by(&proven(&[(AuthenticationProof::Password, 1)]), NOW));
        assert!(demand.is_satisfied_by(
            &proven(&[(AuthenticationProof::Password, 1), (AuthenticationProof::SmsCode, 1)]),
            NOW
        ));
    }

    #[test]
    fn max_age_applies_to_the_second_factor_of_the_level() {
        let within = |most| FreshnessDemand {
            max_age: Some(Lifetime::from_seconds(most)),
            ..FreshnessDemand::for_level(AssuranceLevel::Two)
        };
        let evidence = proven(&[(PASSKEY, 3_600), (AuthenticationProof::Password, 1)]);
        assert!(FreshnessDemand::for_level(AssuranceLevel::Two).is_satisfied_by(&evidence, NOW));
        assert!(within(3_600).is_satisfied_by(&evidence, NOW));
        assert!(!within(3_599).is_satisfied_by(&evidence, NOW));
        let lower = FreshnessDemand { level: AssuranceLevel::One, ..within(60) };
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
        /// Whoever completes the step-up that a sensitive action asks for can do it, and nobody is led into a dead end.
        #[test]
        fn step_up_completed_satisfies_the_sensitive_action_that_required_it(
            ways in any_ways(), before in prop::collection::vec((any_proof(), 0_u32..86_400), 0..4),
            given in prop::collection::vec(any_proof(), 1..4),
        ) {
            let ana = person(&ways);
            let sensitive = FreshnessDemand::for_sensitive_action(&ana);
            let step_up = FreshnessDemand::for_step_up(sensitive.level, &ana);
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
