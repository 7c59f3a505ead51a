//! How sure we are who somebody is. It follows from what they proved and from nothing else, and it fades.

use crate::id::OrganizationId;
use crate::limits::{ASSURANCE_TWO_AGE_MAX, ASSURANCE_TWO_IDLE_MAX};
use crate::people::settings::CredentialKind;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// An authenticator assurance level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Assurance {
    /// One factor.
    #[default]
    #[serde(rename = "aal1")]
    One,
    /// Two factors, or a passkey that verified its user.
    #[serde(rename = "aal2")]
    Two,
}

/// Something a person proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// A passkey signed.
    Passkey {
        /// Whether the device checked who the person is.
        user_verified: bool,
        /// Whether the key cannot leave its device.
        device_bound: bool,
    },
    /// The password was right.
    Password,
    /// Digits from an authenticator application were right.
    Totp,
    /// A recovery code was right.
    RecoveryCode,
    /// Digits sent by SMS were right.
    SmsCode,
    /// Digits sent by mail were right.
    EmailCode,
    /// A link sent by mail was followed.
    MagicLink,
    /// An organization's provider vouched, at the level it proved to us. To another organization that is nothing.
    SingleSignOn {
        /// The level.
        assurance: Assurance,
        /// Whose provider.
        organization: OrganizationId,
    },
}

/// What was proven in one sign-in, with what was added to it later.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Evidence(Vec<Proof>);

impl Evidence {
    /// Evidence of one proof.
    pub fn of(proof: Proof) -> Self {
        Self(vec![proof])
    }

    /// One more proof.
    #[must_use]
    pub fn and(mut self, proof: Proof) -> Self {
        if !self.0.contains(&proof) {
            self.0.push(proof);
        }
        self
    }

    /// Only what was proven with credentials of these kinds.
    #[must_use]
    pub fn with_only(&self, allowed: &BTreeSet<CredentialKind>) -> Self {
        Self(self.0.iter().filter(|proof| allowed.contains(&proof.credential())).copied().collect())
    }

    /// Only what counts in this organization: what the provider of another one says is nothing here.
    #[must_use]
    pub fn within(&self, here: OrganizationId) -> Self {
        let counts = |proof: &&Proof| match proof {
            Proof::SingleSignOn { organization, .. } => *organization == here,
            _ => true,
        };
        Self(self.0.iter().filter(counts).copied().collect())
    }

    /// Only what the person proved by themselves, without anybody's provider.
    #[must_use]
    pub fn own(&self) -> Self {
        let is_own = |proof: &&Proof| !matches!(proof, Proof::SingleSignOn { .. });
        Self(self.0.iter().filter(is_own).copied().collect())
    }

    /// Whether a provider vouched.
    pub fn is_vouched_for(&self) -> bool {
        self.0.iter().any(|proof| matches!(proof, Proof::SingleSignOn { .. }))
    }

    /// What is proven by both together.
    #[must_use]
    pub fn with(&self, more: &Self) -> Self {
        more.0.iter().fold(self.clone(), |evidence, proof| evidence.and(*proof))
    }

    /// What of it still counts for the higher level: nothing from too long ago.
    #[must_use]
    pub fn lasting(&self, authenticated_at: Timestamp, now: Timestamp) -> Self {
        if now.since(authenticated_at) > ASSURANCE_TWO_AGE_MAX { Self::default() } else { self.clone() }
    }

    /// Whether nothing was proven.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The level the proofs add up to, right after they were given; none without a proof.
    ///
    /// A passkey that verified its user is two factors by itself. Otherwise it takes a password and
    /// something the person has: NIST SP 800-63B-4 §2.2 knows no other pair of single factors, and mail is
    /// not a factor of its own.
    pub fn assurance(&self) -> Option<Assurance> {
        let verified = |proof: &Proof| match proof {
            Proof::Passkey { user_verified, .. } => *user_verified,
            Proof::SingleSignOn { assurance, .. } => *assurance == Assurance::Two,
            Proof::Password
            | Proof::Totp
            | Proof::RecoveryCode
            | Proof::SmsCode
            | Proof::EmailCode
            | Proof::MagicLink => false,
        };
        if self.0.iter().any(verified) || self.0.contains(&Proof::Password) && self.shows_possession() {
            Some(Assurance::Two)
        } else {
            (!self.0.is_empty()).then_some(Assurance::One)
        }
    }

    /// Whether it was shown that the person has something, beside what they know and what they are sent by mail.
    pub fn shows_possession(&self) -> bool {
        self.0.iter().any(|proof| match proof {
            Proof::Passkey { .. } | Proof::Totp | Proof::RecoveryCode | Proof::SmsCode => true,
            Proof::Password | Proof::EmailCode | Proof::MagicLink | Proof::SingleSignOn { .. } => false,
        })
    }

    /// The level they count for now. The higher one fades after an hour without use and after a day; the
    /// session itself lives on.
    pub fn effective(
        &self,
        authenticated_at: Timestamp,
        used_at: Timestamp,
        now: Timestamp,
    ) -> Option<Assurance> {
        let faded = now.since(used_at) > ASSURANCE_TWO_IDLE_MAX
            || now.since(authenticated_at) > ASSURANCE_TWO_AGE_MAX;
        self.assurance().map(|level| if faded { Assurance::One } else { level })
    }

    /// The methods used, as the `amr` claim lists them (RFC 8176, `email` and `fed` being our own).
    pub fn methods(&self) -> BTreeSet<&'static str> {
        let mut methods: BTreeSet<_> = self.0.iter().flat_map(Proof::methods).copied().collect();
        if self.assurance() == Some(Assurance::Two) {
            methods.insert("mfa");
        }
        methods
    }
}

impl Proof {
    /// Whether it shows that somebody reads what is mailed to them.
    pub const fn is_mailed(&self) -> bool {
        matches!(self, Self::EmailCode | Self::MagicLink)
    }

    /// The kind of credential it was given with.
    pub const fn credential(&self) -> CredentialKind {
        match self {
            Self::Passkey { .. } => CredentialKind::Passkey,
            Self::Password => CredentialKind::Password,
            Self::Totp => CredentialKind::Totp,
            Self::RecoveryCode => CredentialKind::RecoveryCode,
            Self::SmsCode => CredentialKind::SmsCode,
            Self::EmailCode => CredentialKind::EmailCode,
            Self::MagicLink => CredentialKind::MagicLink,
            Self::SingleSignOn { .. } => CredentialKind::SingleSignOn,
        }
    }

    const fn methods(&self) -> &'static [&'static str] {
        match self {
            Self::Passkey { user_verified: true, device_bound: true } => &["hwk", "user"],
            Self::Passkey { user_verified: true, device_bound: false } => &["swk", "user"],
            Self::Passkey { user_verified: false, device_bound: true } => &["hwk"],
            Self::Passkey { user_verified: false, device_bound: false } => &["swk"],
            Self::Password => &["pwd"],
            Self::Totp | Self::RecoveryCode => &["otp"],
            Self::SmsCode => &["sms"],
            Self::EmailCode | Self::MagicLink => &["email"],
            Self::SingleSignOn { .. } => &["fed"],
        }
    }
}

impl Assurance {
    /// Every level there is, the lowest first.
    pub const ALL: [Self; 2] = [Self::One, Self::Two];

    /// The level, as the `acr` claim names it.
    pub const fn acr(self) -> &'static str {
        match self {
            Self::One => "urn:sinete:aal:1",
            Self::Two => "urn:sinete:aal:2",
        }
    }

    /// The level that the `acr` claim names.
    pub fn from_acr(acr: &str) -> Option<Self> {
        [Self::One, Self::Two].into_iter().find(|level| level.acr() == acr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: OrganizationId = OrganizationId::from_bytes([7; 16]);

    fn vouched(assurance: Assurance) -> Proof {
        Proof::SingleSignOn { assurance, organization: HERE }
    }

    #[test]
    fn what_a_provider_says_counts_in_its_own_organization_and_nowhere_else() {
        let elsewhere = OrganizationId::from_bytes([8; 16]);
        let proven = Evidence::of(vouched(Assurance::Two)).and(Proof::EmailCode);
        assert_eq!(proven.within(HERE).assurance(), Some(Assurance::Two));
        assert_eq!(proven.within(elsewhere).assurance(), Some(Assurance::One));
        assert_eq!(Evidence::of(vouched(Assurance::Two)).within(elsewhere).assurance(), None);
        assert_eq!(proven.own(), Evidence::of(Proof::EmailCode));
        assert!(proven.is_vouched_for() && !proven.own().is_vouched_for());
    }
    use crate::time::Lifetime;
    use proptest::prelude::*;

    const VERIFIED: Proof = Proof::Passkey { user_verified: true, device_bound: false };
    const TOUCHED: Proof = Proof::Passkey { user_verified: false, device_bound: true };

    fn evidence(proofs: &[Proof]) -> Evidence {
        proofs.iter().fold(Evidence::default(), |evidence, proof| evidence.and(*proof))
    }

    #[test]
    fn what_an_organization_does_not_allow_counts_for_nothing_there() {
        let proven = evidence(&[Proof::Password, Proof::Totp]);
        let only = |kinds: &[CredentialKind]| proven.with_only(&kinds.iter().copied().collect()).assurance();
        assert_eq!(only(&[CredentialKind::Password, CredentialKind::Totp]), Some(Assurance::Two));
        assert_eq!(only(&[CredentialKind::Totp]), Some(Assurance::One));
        assert_eq!(only(&[CredentialKind::Passkey]), None);
    }

    #[test]
    fn each_way_of_signing_in_counts_for_what_it_proves() {
        use Assurance::{One, Two};
        use Proof::*;
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
        assert_eq!(Evidence::default().assurance(), None);
    }

    #[test]
    fn the_higher_level_fades_after_an_hour_of_rest_or_a_day() {
        let proven = evidence(&[VERIFIED]);
        let start = Timestamp::from_seconds(1_000_000);
        let after = |seconds| start.plus(Lifetime::from_seconds(seconds));
        assert_eq!(proven.effective(start, start, after(3600)), Some(Assurance::Two));
        assert_eq!(proven.effective(start, start, after(3601)), Some(Assurance::One));
        assert_eq!(proven.effective(start, after(86_000), after(86_400)), Some(Assurance::Two));
        assert_eq!(proven.effective(start, after(86_400), after(86_401)), Some(Assurance::One));
    }

    fn any_proof() -> impl Strategy<Value = Proof> {
        prop_oneof![
            (any::<bool>(), any::<bool>())
                .prop_map(|(user_verified, device_bound)| Proof::Passkey { user_verified, device_bound }),
            Just(Proof::Password),
            Just(Proof::Totp),
            Just(Proof::RecoveryCode),
            Just(Proof::SmsCode),
            Just(Proof::EmailCode),
            Just(Proof::MagicLink),
            Just(vouched(Assurance::One)),
            Just(vouched(Assurance::Two)),
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
            prop_assert!(before.effective(start, at(used), at(used.max(now))) <= before.assurance());
        }

        #[test]
        fn mail_and_possession_without_a_password_never_make_two(
            proofs in proptest::collection::vec(any_proof(), 0..6),
        ) {
            let weak: Vec<_> = proofs
                .into_iter()
                .filter(|proof| !matches!(
                    proof,
                    Proof::Password | Proof::Passkey { user_verified: true, .. } | Proof::SingleSignOn { assurance: Assurance::Two, .. }
                ))
                .collect();
            prop_assert_ne!(evidence(&weak).assurance(), Some(Assurance::Two));
        }
    }
}
