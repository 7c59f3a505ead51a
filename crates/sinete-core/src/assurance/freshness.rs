//! Whether what somebody proved is recent enough and strong enough for what is about to happen. Every path that relies on
//! how fresh a proof is asks a [`FreshnessDemand`]: step-up flows, `max_age` and essential `acr` of an authorization
//! request (in a browser, for a device and for CIBA), sensitive account actions and the console
//! (docs/decisions/0230-assurance-each-proof-ages-by-itself.md).

use super::{Assurance, DatedProof, Evidence, Proof};
use crate::flow::person::{Person, Way};
use crate::limits::SENSITIVE_AGE_MAX;
use crate::time::{Lifetime, Timestamp};

/// What a use of a session demands of the evidence in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreshnessDemand {
    /// The level.
    pub level: Assurance,
    /// How long ago the newest proof may have been given and, for `aal2`, the newest second factor. Without it,
    /// whatever still counts will do.
    pub max_age: Option<Lifetime>,
    /// The second factors that count.
    pub factors: SecondFactors,
}

/// The second factors that count for a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondFactors {
    /// Each of them.
    Any,
    /// Each but digits by SMS: the person set up something that nobody takes over with a telephone number.
    WithoutSms,
    /// A passkey, or the recovery code that stands in for a lost one.
    PasskeyOrRecoveryCode,
}

impl FreshnessDemand {
    /// This level, by whatever still counts.
    pub const fn level(level: Assurance) -> Self {
        Self { level, max_age: None, factors: SecondFactors::Any }
    }

    /// What a sensitive action demands of this person: a proof of the last minutes, as strong as what they set up. Whoever
    /// has a passkey is asked for it: a password and digits can be phished together.
    pub fn sensitive(person: &Person) -> Self {
        Self { max_age: Some(SENSITIVE_AGE_MAX), ..Self::step_up(person.usual_reach(), person) }
    }

    /// What a step-up that the person began demands. It is what a sensitive action demands, so that whoever completes one
    /// can do the other.
    pub fn step_up(level: Assurance, person: &Person) -> Self {
        let factors = if person.ways.contains(&Way::Passkey) {
            SecondFactors::PasskeyOrRecoveryCode
        } else {
            Self::requested(level, person).factors
        };
        Self { level, max_age: None, factors }
    }

    /// What a step-up demands that an authorization request leads through.
    pub fn requested(level: Assurance, person: &Person) -> Self {
        let has_stronger = person.ways.contains(&Way::Passkey) || person.ways.contains(&Way::Totp);
        let factors = if has_stronger { SecondFactors::WithoutSms } else { SecondFactors::Any };
        Self { level, max_age: None, factors }
    }

    /// Whether the evidence in a session meets it now.
    pub fn is_met(&self, evidence: &Evidence, now: Timestamp) -> bool {
        let counted = match self.level {
            Assurance::One => evidence.clone(),
            Assurance::Two => evidence.lasting(now),
        };
        let recent = self.max_age.map_or_else(|| counted.clone(), |most| counted.since(most, now));
        self.is_met_by(&counted, &recent)
    }

    /// Whether a step-up meets it, by what was given in its flow and what still counted when it began.
    pub fn is_met_by(&self, before: &Evidence, given: &Evidence) -> bool {
        let (all, given) = (self.accepted(&before.with(given)), self.accepted(given));
        let is_recent = match self.level {
            Assurance::One => !given.is_empty(),
            // NIST SP 800-63B-4 §2.2.3: a password given again does not make an old second factor a new one.
            Assurance::Two => given.newest_second_factor().is_some(),
        };
        is_recent && all.assurance() >= Some(self.level)
    }

    /// Whether something can be proven in this way where this is demanded.
    pub fn accepts(&self, way: Way) -> bool {
        match way {
            Way::Totp => self.counts(&Proof::Totp),
            Way::SmsCode => self.counts(&Proof::SmsCode),
            Way::Password | Way::Passkey | Way::RecoveryCode | Way::SingleSignOn => true,
        }
    }

    fn counts(&self, proof: &Proof) -> bool {
        match (self.level, self.factors) {
            (Assurance::One, _) | (Assurance::Two, SecondFactors::Any) => true,
            (Assurance::Two, SecondFactors::WithoutSms) => *proof != Proof::SmsCode,
            (Assurance::Two, SecondFactors::PasskeyOrRecoveryCode) => {
                !matches!(proof, Proof::SmsCode | Proof::Totp)
            }
        }
    }

    fn accepted(&self, evidence: &Evidence) -> Evidence {
        evidence.only(|given| self.counts(&given.proof))
    }
}

/// When a second factor was given: just now, or at a moment in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenAt {
    /// In a flow that has not ended.
    JustNow,
    /// At this moment.
    Moment(Timestamp),
}

impl Evidence {
    /// When the newest second factor was given, where there is one.
    pub fn newest_second_factor(&self) -> Option<GivenAt> {
        let second = self.0.iter().filter(|given| given.proof.is_second_factor());
        let newest = second.map(|given: &DatedProof| given.at).reduce(super::newer)?;
        Some(newest.map_or(GivenAt::JustNow, GivenAt::Moment))
    }

    /// When somebody was authenticated at this level: at `aal2` when they last gave a second factor, and otherwise when
    /// they last proved anything, which the caller knows. It is what `auth_time` says beside `acr`.
    pub fn authenticated_at(&self, level: Assurance, last: Timestamp) -> Timestamp {
        match (level, self.newest_second_factor()) {
            (Assurance::Two, Some(GivenAt::Moment(at))) => at.min(last),
            (Assurance::One | Assurance::Two, _) => last,
        }
    }
}

impl Proof {
    /// Whether it is more than something known or mailed: what makes the higher level, alone or with a password.
    const fn is_second_factor(&self) -> bool {
        match self {
            Self::Passkey { .. } | Self::Totp | Self::RecoveryCode | Self::SmsCode => true,
            Self::SingleSignOn { assurance, .. } => matches!(assurance, Assurance::Two),
            Self::Password | Self::EmailCode | Self::MagicLink => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::AccountId;
    use proptest::prelude::*;

    const PASSKEY: Proof = Proof::Passkey { user_verified: true, device_bound: false };
    const NOW: Timestamp = Timestamp::from_seconds(10_000_000);

    fn person(ways: &[Way]) -> Person {
        let account = AccountId::from_bytes([1; 16]);
        Person { account, ways: ways.iter().copied().collect(), closed: Default::default() }
    }

    fn proven(proofs: &[(Proof, u32)]) -> Evidence {
        let at = |ago: u32| NOW.minus(Lifetime::from_seconds(ago));
        let one = |(proof, ago): &(Proof, u32)| Evidence::of(*proof).dated(at(*ago));
        proofs.iter().map(one).fold(Evidence::default(), |all, one| all.with(&one))
    }

    #[test]
    fn sensitive_actions_need_a_second_factor_of_the_last_minutes() {
        use Proof::*;
        let hour = 3_600;
        for (ways, proofs, is_met) in [
            (&[Way::Password][..], &[(Password, 300)][..], true),
            (&[Way::Password], &[(Password, 301)], false),
            // A password does not make an old second factor a new one; an old password will do beside a new one.
            (&[Way::Password, Way::Passkey], &[(PASSKEY, hour), (Password, 1)], false),
            (&[Way::Password, Way::Passkey], &[(PASSKEY, 1)], true),
            (&[Way::Password, Way::Totp], &[(Password, hour), (Totp, 1)], true),
            (&[Way::Password, Way::Totp], &[(Password, 1), (Totp, hour)], false),
            (&[Way::Password, Way::Totp], &[(Password, 86_401), (Totp, 1)], false),
            // Whoever has a passkey is asked for it; a recovery code stands in for it, and digits do not.
            (&[Way::Password, Way::Passkey, Way::Totp], &[(Password, 1), (Totp, 1)], false),
            (&[Way::Password, Way::Passkey, Way::RecoveryCode], &[(Password, 1), (RecoveryCode, 1)], true),
            (&[Way::Passkey, Way::SmsCode], &[(PASSKEY, hour), (SmsCode, 1)], false),
            // A telephone does not stand in for an application.
            (&[Way::Password, Way::Totp, Way::SmsCode], &[(Password, 1), (SmsCode, 1)], false),
            (&[Way::Password, Way::RecoveryCode, Way::SmsCode], &[(Password, 1), (SmsCode, 1)], true),
            (&[Way::Password, Way::SmsCode], &[(Password, 1)], true),
        ] {
            let demand = FreshnessDemand::sensitive(&person(ways));
            assert_eq!(demand.is_met(&proven(proofs), NOW), is_met, "{ways:?} {proofs:?}");
        }
    }

    #[test]
    fn an_application_that_guessing_closed_does_not_lower_what_is_demanded() {
        let mut ana = person(&[Way::Password, Way::SmsCode]);
        ana.closed.insert(Way::Totp);
        let demand = FreshnessDemand::sensitive(&ana);
        assert_eq!(demand.level, Assurance::Two);
        assert!(!demand.is_met(&proven(&[(Proof::Password, 1)]), NOW));
        assert!(demand.is_met(&proven(&[(Proof::Password, 1), (Proof::SmsCode, 1)]), NOW));
    }

    #[test]
    fn max_age_holds_for_the_second_factor_that_the_level_rests_on() {
        let within = |most| FreshnessDemand {
            max_age: Some(Lifetime::from_seconds(most)),
            ..FreshnessDemand::level(Assurance::Two)
        };
        let evidence = proven(&[(PASSKEY, 3_600), (Proof::Password, 1)]);
        assert!(FreshnessDemand::level(Assurance::Two).is_met(&evidence, NOW));
        assert!(within(3_600).is_met(&evidence, NOW));
        assert!(!within(3_599).is_met(&evidence, NOW));
        let lower = FreshnessDemand { level: Assurance::One, ..within(60) };
        assert!(lower.is_met(&evidence, NOW));
        let last = NOW.minus(Lifetime::from_seconds(1));
        assert_eq!(evidence.authenticated_at(Assurance::One, last), last);
        let passkey_at = NOW.minus(Lifetime::from_seconds(3_600));
        assert_eq!(evidence.authenticated_at(Assurance::Two, last), passkey_at);
    }

    fn any_proof() -> impl Strategy<Value = Proof> {
        prop::sample::select(vec![
            PASSKEY,
            Proof::Password,
            Proof::Totp,
            Proof::RecoveryCode,
            Proof::SmsCode,
            Proof::EmailCode,
        ])
    }

    fn any_ways() -> impl Strategy<Value = Vec<Way>> {
        let all = vec![Way::Password, Way::Passkey, Way::Totp, Way::RecoveryCode, Way::SmsCode];
        prop::sample::subsequence(all, 1..=5)
    }

    proptest! {
        /// Whoever completes the step-up that a sensitive action asks for can do it, and nobody is led into a dead end.
        #[test]
        fn a_completed_step_up_is_fresh_for_what_is_sensitive(
            ways in any_ways(), before in prop::collection::vec((any_proof(), 0_u32..86_400), 0..4),
            given in prop::collection::vec(any_proof(), 1..4),
        ) {
            let ana = person(&ways);
            let sensitive = FreshnessDemand::sensitive(&ana);
            let step_up = FreshnessDemand::step_up(sensitive.level, &ana);
            let (before, given) = (proven(&before), given.into_iter().fold(Evidence::default(), Evidence::and));
            if step_up.is_met_by(&before, &given) {
                prop_assert!(sensitive.is_met(&before.with(&given).dated(NOW), NOW));
            }
            let offered = ana.ways.iter().filter(|way| step_up.accepts(**way)).copied();
            let everything = offered.filter_map(Way::strongest).fold(Evidence::default(), Evidence::and);
            prop_assert!(everything.is_empty() || step_up.is_met_by(&Evidence::default(), &everything));
        }
    }
}
