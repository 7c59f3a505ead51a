//! How often one network address may ask for what costs us something and proves nothing: kept in memory, by each
//! node for itself. Only requests without proof, and those whose proof was wrong, are counted; whoever proves who
//! they are is never held up by a neighbour behind the same address.

use crate::route::Caller;
use sinete_core::pace::{Bucket, Pace};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::time::{Lifetime, Timestamp};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Most addresses remembered at a time, of each kind of request together.
const REMEMBERED_MAX: usize = 100_000;

/// How much of what one address may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paces {
    /// Starting flows and authorization requests.
    pub flows: Pace,
    /// Wrong passwords, codes and the like.
    pub proofs: Pace,
    /// Messages to be sent.
    pub sends: Pace,
    /// Wrong credentials of clients and callers.
    pub credentials: Pace,
    /// Whether this machine itself is held to it.
    pub near: Near,
}

/// Whether requests from this machine itself are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Near {
    /// Like any other.
    Counted,
    /// Whoever develops is not held up.
    Free,
}

impl Default for Paces {
    fn default() -> Self {
        Self {
            flows: Pace::of(60),
            proofs: Pace::of(20),
            sends: Pace::of(10),
            credentials: Pace::of(300),
            near: Near::Counted,
        }
    }
}

/// What is counted apart from what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Flows,
    Proofs,
    Sends,
    Credentials,
}

/// What every address has left.
#[derive(Debug, Default)]
pub(crate) struct Counting(Mutex<HashMap<(Kind, IpAddr), Bucket>>);

/// One request, as far as it is counted.
pub(crate) struct Paced<'a> {
    counting: &'a Counting,
    /// Nothing, where its address is not held to any.
    paces: Option<&'a Paces>,
    network: IpAddr,
    now: Timestamp,
}

impl Counting {
    /// How a request from this address is counted.
    pub(crate) fn paced<'a>(&'a self, paces: Option<&'a Paces>, client: IpAddr, now: Timestamp) -> Paced<'a> {
        let paces = paces.filter(|paces| paces.counts(client));
        Paced { counting: self, paces, network: network(client), now }
    }

    fn take(&self, paces: &Paces, kind: Kind, network: IpAddr, now: Timestamp) -> Result<(), Lifetime> {
        let (pace, key) = (paces.of(kind), (kind, network));
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= REMEMBERED_MAX && !buckets.contains_key(&key) {
            buckets.retain(|(kind, _), bucket| !bucket.is_full(paces.of(*kind), now));
            // So many at once is an attack from everywhere; whoever is forgotten begins anew.
            if buckets.len() >= REMEMBERED_MAX {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(key).or_insert(Bucket::full(pace, now));
        *bucket = bucket.take(pace, now)?;
        Ok(())
    }

    fn look(&self, paces: &Paces, kind: Kind, network: IpAddr, now: Timestamp) -> Result<(), Lifetime> {
        let buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match buckets.get(&(kind, network)) {
            Some(bucket) => bucket.would_let(paces.of(kind), now),
            None => Ok(()),
        }
    }
}

impl Paced<'_> {
    /// Before a flow or a request for authorization is begun by somebody who is not signed in: takes what it costs.
    pub(crate) fn starting(&self) -> Result<(), Refusal> {
        self.take(Kind::Flows)
    }

    /// Before something is said in a flow: takes what a message costs, and refuses where too much was wrong, before
    /// it costs us anything.
    pub(crate) fn saying(&self, action: &str) -> Result<(), Refusal> {
        if SENDING.contains(&action) {
            self.take(Kind::Sends)?;
        }
        let Some(paces) = self.paces else { return Ok(()) };
        self.counting.look(paces, Kind::Proofs, self.network, self.now).map_err(too_many)
    }

    /// What is answered to something that was refused in a flow: where there was too much of it, that.
    pub(crate) fn unproven(&self, refusal: Refusal) -> Refusal {
        match refusal.code().status() {
            422 => self.take(Kind::Proofs).err().unwrap_or(refusal),
            _ => refusal,
        }
    }

    /// What is answered to whoever is not who they claim to be: where there was too much of it, that.
    pub(crate) fn unknown(&self, caller: Caller, refusal: Refusal) -> Refusal {
        let shows_credentials = match caller {
            Caller::Client
            | Caller::Bearer(_)
            | Caller::Token(_)
            | Caller::Registration
            | Caller::Session
            | Caller::Flow => true,
            Caller::Anyone | Caller::Applicant | Caller::Browser | Caller::Person => false,
        };
        match refusal.code().status() {
            // Whoever is told to repeat a nonce has everything else right.
            _ if refusal.code() == RefusalCode::KeyProofNonceNeeded => refusal,
            401 if shows_credentials => self.take(Kind::Credentials).err().unwrap_or(refusal),
            _ => refusal,
        }
    }

    fn take(&self, kind: Kind) -> Result<(), Refusal> {
        let Some(paces) = self.paces else { return Ok(()) };
        self.counting.take(paces, kind, self.network, self.now).map_err(too_many)
    }
}

impl Paces {
    const fn of(&self, kind: Kind) -> Pace {
        match kind {
            Kind::Flows => self.flows,
            Kind::Proofs => self.proofs,
            Kind::Sends => self.sends,
            Kind::Credentials => self.credentials,
        }
    }

    const fn counts(&self, client: IpAddr) -> bool {
        match self.near {
            Near::Counted => true,
            Near::Free => !client.is_loopback(),
        }
    }
}

/// What is said in a flow and makes us write to somebody.
const SENDING: [&str; 4] = ["email", "sms_code", "resend", "details"];

/// The network somebody has to themself: one address, or what a household is given of the new kind.
fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() & (u128::MAX << 64)).into()),
    }
}

fn too_many(wait: Lifetime) -> Refusal {
    let public = "too many requests came from your network: wait a moment";
    Refusal::new(RefusalCode::TooManyRequests, public, "by address").retry_after(wait)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    fn from<'a>(counting: &'a Counting, paces: &'a Paces, client: &str) -> Paced<'a> {
        counting.paced(Some(paces), client.parse().unwrap(), NOW)
    }

    fn refusal(code: RefusalCode) -> Refusal {
        Refusal::new(code, "no", "no")
    }

    #[test]
    fn an_address_is_held_to_its_pace_and_its_neighbour_is_not() {
        let (counting, paces) = (Counting::default(), Paces { flows: Pace::of(3), ..Paces::default() });
        let ask = |client: &str| from(&counting, &paces, client).starting().is_ok();
        assert_eq!([(); 4].map(|()| ask("203.0.113.1")), [true, true, true, false]);
        assert!(ask("203.0.113.2"));
        let later = NOW.plus(Lifetime::from_seconds(20));
        assert!(counting.paced(Some(&paces), "203.0.113.1".parse().unwrap(), later).starting().is_ok());
        // A household of the new kind counts as one, however many addresses it makes up.
        assert_eq!([1, 2, 3, 4].map(|last| ask(&format!("2001:db8:1:1::{last}"))), [true, true, true, false]);
        assert!(ask("2001:db8:1:2::1"));
    }

    #[test]
    fn what_is_wrong_in_a_flow_is_counted_and_then_nothing_more_is_heard() {
        let (counting, paces) = (Counting::default(), Paces { proofs: Pace::of(2), ..Paces::default() });
        let asked = from(&counting, &paces, "203.0.113.1");
        let wrong = || asked.unproven(refusal(RefusalCode::Unprocessable)).code();
        assert!(asked.saying("password").is_ok());
        assert_eq!([(); 2].map(|()| wrong()), [RefusalCode::Unprocessable; 2]);
        assert_eq!(asked.saying("password").unwrap_err().code(), RefusalCode::TooManyRequests);
        assert_eq!(wrong(), RefusalCode::TooManyRequests);
        // What was refused for another reason proves nothing either way.
        assert_eq!(asked.unproven(refusal(RefusalCode::Gone)).code(), RefusalCode::Gone);
        assert!(from(&counting, &paces, "203.0.113.2").saying("password").is_ok());
    }

    #[test]
    fn messages_are_counted_by_what_makes_us_write() {
        let (counting, paces) = (Counting::default(), Paces { sends: Pace::of(1), ..Paces::default() });
        let asked = from(&counting, &paces, "203.0.113.1");
        assert!(asked.saying("email").is_ok() && asked.saying("resend").is_err());
        assert!(asked.saying("password").is_ok());
    }

    #[test]
    fn wrong_credentials_are_counted_and_right_ones_are_never_held_up() {
        let (counting, paces) = (Counting::default(), Paces { credentials: Pace::of(2), ..Paces::default() });
        let asked = from(&counting, &paces, "203.0.113.1");
        let wrong = |caller| asked.unknown(caller, refusal(RefusalCode::InvalidToken)).code();
        let codes = [(); 3].map(|()| wrong(Caller::Session));
        assert_eq!(codes[..2], [RefusalCode::InvalidToken; 2]);
        assert_eq!(codes[2], RefusalCode::TooManyRequests);
        assert_eq!(wrong(Caller::Anyone), RefusalCode::InvalidToken);
        let nonce = asked.unknown(Caller::Session, refusal(RefusalCode::KeyProofNonceNeeded));
        assert_eq!(nonce.code(), RefusalCode::KeyProofNonceNeeded);
        let missing = asked.unknown(Caller::Session, refusal(RefusalCode::NotFound));
        assert_eq!(missing.code(), RefusalCode::NotFound);
    }

    #[test]
    fn whoever_develops_is_not_held_up_at_their_own_machine() {
        let (counting, paces) =
            (Counting::default(), Paces { flows: Pace::of(1), near: Near::Free, ..Paces::default() });
        for (client, last) in [("127.0.0.1", true), ("203.0.113.1", false)] {
            let ask = || from(&counting, &paces, client).starting().is_ok();
            assert_eq!((ask(), ask()), (true, last), "{client}");
        }
        let anywhere = counting.paced(None, "203.0.113.1".parse().unwrap(), NOW);
        assert!(anywhere.starting().is_ok());
    }

    /// As many addresses as are remembered, each of them at its limit from one run of cleanup to the next.
    #[test]
    fn cleanup_deletes_more_in_one_run_than_the_rate_limits_admit_between_two() {
        use sinete_core::limits::{CLEANUP_INTERVAL, CLEANUP_PASSES_MAX, CLEANUP_ROWS_MAX};
        let capacity = u64::from(CLEANUP_PASSES_MAX) * u64::from(CLEANUP_ROWS_MAX);
        let minutes = u64::try_from(CLEANUP_INTERVAL.seconds()).unwrap() / 60;
        // A wrong credential leaves nothing that expires.
        for kind in [Kind::Flows, Kind::Proofs, Kind::Sends] {
            let pace = Paces::default().of(kind);
            let of_one = u64::from(pace.at_once) + u64::from(pace.a_minute) * minutes;
            assert!(of_one * REMEMBERED_MAX as u64 <= capacity, "{kind:?} admits more than is deleted");
        }
    }

    #[test]
    fn addresses_without_end_are_forgotten_rather_than_kept() {
        let (counting, paces) = (Counting::default(), Paces::default());
        for number in 0..(REMEMBERED_MAX as u32 + 10) {
            counting.paced(Some(&paces), IpAddr::V4(number.into()), NOW).starting().unwrap();
        }
        assert!(counting.0.lock().unwrap().len() <= REMEMBERED_MAX);
    }
}
