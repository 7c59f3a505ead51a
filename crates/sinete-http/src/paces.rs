//! How often one network address may ask for what costs us something and proves nothing: kept in memory, by each
//! node for itself. Only requests without proof, and those whose proof was wrong, are counted; whoever proves who
//! they are is never held up by a neighbour behind the same address.

use crate::route::{Caller, Route, Verb};
use axum::http::header::{AUTHORIZATION, COOKIE};
use axum::http::request::Parts;
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

/// A request, as far as it is counted.
pub(crate) struct Counted<'a> {
    pub(crate) route: &'a Route,
    pub(crate) client: IpAddr,
    pub(crate) now: Timestamp,
}

impl Counting {
    /// Before a request is answered: takes what it costs, or refuses it before it costs us anything.
    pub(crate) fn before(
        &self,
        paces: Option<&Paces>,
        asked: &Counted<'_>,
        parts: &Parts,
    ) -> Result<(), Refusal> {
        let Some(paces) = paces.filter(|paces| paces.counts(asked.client)) else { return Ok(()) };
        if let Some(kind) = cost(asked.route, parts) {
            self.take(paces, kind, asked).map_err(too_many)?;
        }
        if is_proof(asked.route) {
            self.look(paces, Kind::Proofs, asked).map_err(too_many)?;
        }
        Ok(())
    }

    /// After a request was refused: counts it where its proof was wrong. Where there were too many, that is what
    /// is answered.
    pub(crate) fn after(
        &self,
        paces: Option<&Paces>,
        asked: &Counted<'_>,
        refusal: &Refusal,
    ) -> Option<Refusal> {
        let paces = paces.filter(|paces| paces.counts(asked.client))?;
        let status = refusal.code().status();
        let kind = match asked.route.caller {
            Caller::Flow if is_proof(asked.route) && status == 422 => Kind::Proofs,
            Caller::Client
            | Caller::Bearer(_)
            | Caller::Token(_)
            | Caller::Registration
            | Caller::Session
            | Caller::Flow
                if status == 401 =>
            {
                Kind::Credentials
            }
            Caller::Anyone
            | Caller::Applicant
            | Caller::Registration
            | Caller::Token(_)
            | Caller::Browser
            | Caller::Client
            | Caller::Bearer(_)
            | Caller::Session
            | Caller::Flow => return None,
        };
        self.take(paces, kind, asked).err().map(too_many)
    }

    fn take(&self, paces: &Paces, kind: Kind, asked: &Counted<'_>) -> Result<(), Lifetime> {
        let (pace, key) = (paces.of(kind), (kind, network(asked.client)));
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= REMEMBERED_MAX && !buckets.contains_key(&key) {
            buckets.retain(|(kind, _), bucket| !bucket.is_full(paces.of(*kind), asked.now));
            // So many at once is an attack from everywhere; whoever is forgotten begins anew.
            if buckets.len() >= REMEMBERED_MAX {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(key).or_insert(Bucket::full(pace, asked.now));
        *bucket = bucket.take(pace, asked.now)?;
        Ok(())
    }

    fn look(&self, paces: &Paces, kind: Kind, asked: &Counted<'_>) -> Result<(), Lifetime> {
        let buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match buckets.get(&(kind, network(asked.client))) {
            Some(bucket) => bucket.would_let(paces.of(kind), asked.now),
            None => Ok(()),
        }
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

/// What a request costs whether or not it succeeds.
fn cost(route: &Route, parts: &Parts) -> Option<Kind> {
    let shows_nothing = !parts.headers.contains_key(AUTHORIZATION) && !parts.headers.contains_key(COOKIE);
    match (route.verb, route.path) {
        (Verb::Post, "/flows" | "/flows/links") => Some(Kind::Flows),
        (_, "/connect/authorize") if shows_nothing => Some(Kind::Flows),
        (Verb::Post, "/flows/{flow}/{action}") => {
            let action = parts.uri.path().rsplit('/').next().unwrap_or_default();
            SENDING.contains(&action).then_some(Kind::Sends)
        }
        _ => None,
    }
}

/// What is said in a flow and makes us write to somebody.
const SENDING: [&str; 4] = ["email", "sms_code", "resend", "details"];

/// Whether something is proven there, or not.
fn is_proof(route: &Route) -> bool {
    route.path == "/flows/{flow}/{action}"
}

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
    use crate::router::ROUTES;
    use axum::http::Request;

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    fn route(path: &str) -> &'static Route {
        ROUTES.iter().find(|route| route.path == path).unwrap()
    }

    fn parts(path: &str) -> Parts {
        Request::builder().uri(path).body(()).unwrap().into_parts().0
    }

    fn refusal(code: RefusalCode) -> Refusal {
        Refusal::new(code, "no", "no")
    }

    #[test]
    fn an_address_is_held_to_its_pace_and_its_neighbour_is_not() {
        let (counting, paces) = (Counting::default(), Paces { flows: Pace::of(3), ..Paces::default() });
        let ask = |client: &str, now| {
            let asked = Counted { route: route("/connect/authorize"), client: client.parse().unwrap(), now };
            counting.before(Some(&paces), &asked, &parts("/connect/authorize")).is_ok()
        };
        assert_eq!([(); 4].map(|()| ask("203.0.113.1", NOW)), [true, true, true, false]);
        assert!(ask("203.0.113.2", NOW) && ask("203.0.113.1", NOW.plus(Lifetime::from_seconds(20))));
        // A household of the new kind counts as one, however many addresses it makes up.
        assert_eq!(
            [1, 2, 3, 4].map(|last| ask(&format!("2001:db8:1:1::{last}"), NOW)),
            [true, true, true, false]
        );
        assert!(ask("2001:db8:1:2::1", NOW));
    }

    #[test]
    fn wrong_credentials_are_counted_and_right_ones_are_never_held_up() {
        let (counting, paces) = (Counting::default(), Paces { credentials: Pace::of(2), ..Paces::default() });
        let client = "203.0.113.1".parse().unwrap();
        let asked = Counted { route: route("/manage/organizations"), client, now: NOW };
        let wrong = refusal(RefusalCode::InvalidToken);
        assert!(counting.after(Some(&paces), &asked, &wrong).is_none());
        assert!(counting.after(Some(&paces), &asked, &wrong).is_none());
        let told = counting.after(Some(&paces), &asked, &wrong).unwrap();
        assert_eq!(told.code(), RefusalCode::TooManyRequests);
        assert!(counting.before(Some(&paces), &asked, &parts("/manage/organizations")).is_ok());
        assert!(counting.after(Some(&paces), &asked, &refusal(RefusalCode::NotFound)).is_none());
    }

    #[test]
    fn whoever_develops_is_not_held_up_at_their_own_machine() {
        let (counting, paces) =
            (Counting::default(), Paces { flows: Pace::of(1), near: Near::Free, ..Paces::default() });
        for (client, last) in [("127.0.0.1", true), ("203.0.113.1", false)] {
            let asked =
                Counted { route: route("/connect/authorize"), client: client.parse().unwrap(), now: NOW };
            let ask = || counting.before(Some(&paces), &asked, &parts("/connect/authorize")).is_ok();
            assert_eq!((ask(), ask()), (true, last), "{client}");
            assert!(counting.before(None, &asked, &parts("/connect/authorize")).is_ok());
        }
    }

    #[test]
    fn addresses_without_end_are_forgotten_rather_than_kept() {
        let (counting, paces) = (Counting::default(), Paces::default());
        for number in 0..(REMEMBERED_MAX as u32 + 10) {
            let client = IpAddr::V4(number.into());
            let asked = Counted { route: route("/connect/authorize"), client, now: NOW };
            counting.before(Some(&paces), &asked, &parts("/connect/authorize")).unwrap();
        }
        assert!(counting.0.lock().unwrap().len() <= REMEMBERED_MAX);
    }
}
