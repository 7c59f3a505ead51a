//! How often one network address may ask for what costs us something and proves nothing, and how often somebody who proved
//! who they are may have us write: kept in memory, by each node for itself. Of requests by address only those without proof,
//! and those whose proof was wrong, are counted; whoever proves who they are is never held up by a neighbour behind the same
//! address. What a route counts, its row declares.

use crate::route::{Caller, RateLimit, Route};
use sinete_core::client::ClientId;
use sinete_core::flow::purpose::FlowKind;
use sinete_core::id::{AccountId, OrganizationId};
use sinete_core::pace::{Bucket, Pace, network_of};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_engine::flows::Walker;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Most addresses, accounts and the like remembered at a time, of each kind of request together.
const REMEMBERED_MAX: usize = 100_000;

/// How much of what one address, account or the like may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paces {
    /// Starting flows and authorization requests, by address or account.
    pub flows: Pace,
    /// Requests that are stored for clients which anybody can be, by address.
    pub stored_requests: Pace,
    /// Wrong passwords, codes and the like.
    pub proofs: Pace,
    /// Messages to be sent.
    pub sends: Pace,
    /// Wrong credentials of clients and callers.
    pub credentials: Pace,
    /// Whatever else somebody has us write who is signed in, by account.
    pub account: Pace,
    /// Invitations, by organization.
    pub invitations: Pace,
    /// Changes that a client makes to its own registration.
    pub registration_changes: Pace,
    /// Tokens that clients which anybody can be get by one grant; the engine counts them.
    pub tokens_of_grant: Pace,
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
            stored_requests: Pace::of(60),
            proofs: Pace::of(20),
            sends: Pace::of(10),
            credentials: Pace::of(300),
            account: Pace::of(300),
            invitations: Pace::of(60),
            registration_changes: Pace::of(10),
            tokens_of_grant: Pace::of(60),
            near: Near::Counted,
        }
    }
}

/// Whose requests are counted together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Party {
    Network(IpAddr),
    Account(AccountId),
    Organization(OrganizationId),
    Client(ClientId),
}

/// What every party has left.
#[derive(Debug, Default)]
pub(crate) struct Counting(Mutex<HashMap<(RateLimit, Party), Bucket>>);

/// One request, as far as it is counted.
pub(crate) struct Paced<'a> {
    counting: &'a Counting,
    /// Nothing, where its address is not held to any.
    paces: Option<&'a Paces>,
    route: &'a Route,
    network: IpAddr,
    now: Timestamp,
}

impl Counting {
    /// How a request to this route from this address is counted.
    pub(crate) fn paced<'a>(
        &'a self,
        paces: Option<&'a Paces>,
        route: &'a Route,
        client: IpAddr,
        now: Timestamp,
    ) -> Paced<'a> {
        let paces = paces.filter(|paces| paces.counts(client));
        Paced { counting: self, paces, route, network: network_of(client), now }
    }

    fn take(&self, paces: &Paces, key: (RateLimit, Party), now: Timestamp) -> Result<(), Lifetime> {
        let Some(pace) = paces.of(key.0) else { return Ok(()) };
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= REMEMBERED_MAX && !buckets.contains_key(&key) {
            let is_full = |limit: RateLimit, bucket: &Bucket| {
                paces.of(limit).is_none_or(|pace| bucket.is_full(pace, now))
            };
            buckets.retain(|(limit, _), bucket| !is_full(*limit, bucket));
            // So many at once is an attack from everywhere; whoever is forgotten begins anew.
            if buckets.len() >= REMEMBERED_MAX {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(key).or_insert(Bucket::full(pace, now));
        *bucket = bucket.take(pace, now)?;
        Ok(())
    }

    fn look(&self, paces: &Paces, key: &(RateLimit, Party), now: Timestamp) -> Result<(), Lifetime> {
        let buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (buckets.get(key), paces.of(key.0)) {
            (Some(bucket), Some(pace)) => bucket.would_let(pace, now),
            _ => Ok(()),
        }
    }
}

impl Paced<'_> {
    /// Before a flow or a request for authorization is begun by somebody who is not signed in: takes what it costs.
    pub(crate) fn starting(&self) -> Result<(), Refusal> {
        self.take(RateLimit::FlowsByAddress, Party::Network(self.network))
    }

    /// Before a request is stored for a client which anybody can be.
    pub(crate) fn storing_request(&self) -> Result<(), Refusal> {
        self.take(RateLimit::StoredRequestsByAddress, Party::Network(self.network))
    }

    /// Before a flow is begun: takes what it costs, from whoever is signed in or else from the address, and what a message
    /// costs where one is sent at once.
    pub(crate) fn starting_as(&self, walker: &Walker, kind: FlowKind) -> Result<(), Refusal> {
        match &walker.session {
            None => self.starting(),
            Some(signed_in) => self.starting_by(signed_in.session.account),
        }?;
        if kind.sends_at_start() { self.sending() } else { Ok(()) }
    }

    /// Before a message is sent.
    fn sending(&self) -> Result<(), Refusal> {
        self.take(RateLimit::MessagesByAddress, Party::Network(self.network))
    }

    /// Before a flow is begun by somebody who is signed in.
    pub(crate) fn starting_by(&self, account: AccountId) -> Result<(), Refusal> {
        self.take(RateLimit::FlowsByAccount, Party::Account(account))
    }

    /// Before somebody who is signed in has us write something else than a flow.
    pub(crate) fn writing_by(&self, account: AccountId) -> Result<(), Refusal> {
        self.take(RateLimit::WritesByAccount, Party::Account(account))
    }

    /// Before somebody is invited into an organization.
    pub(crate) fn inviting(&self, organization: OrganizationId) -> Result<(), Refusal> {
        self.take(RateLimit::InvitationsByOrganization, Party::Organization(organization))
    }

    /// Before a client changes its own registration.
    pub(crate) fn registering_again(&self, client: &ClientId) -> Result<(), Refusal> {
        self.take(RateLimit::RegistrationChangesByClient, Party::Client(client.clone()))
    }

    /// Before something is said in a flow: takes what a message costs, and refuses where too much was wrong, before
    /// it costs us anything.
    pub(crate) fn saying(&self, action: &str) -> Result<(), Refusal> {
        if SENDING.contains(&action) {
            self.sending()?;
        }
        self.must_declare(RateLimit::FailedProofsByAddress)?;
        let Some(paces) = self.paces else { return Ok(()) };
        let key = (RateLimit::FailedProofsByAddress, Party::Network(self.network));
        self.counting.look(paces, &key, self.now).map_err(too_many)
    }

    /// What is answered to something that was refused in a flow: where there was too much of it, that.
    pub(crate) fn unproven(&self, refusal: Refusal) -> Refusal {
        match refusal.code().status() {
            422 => {
                let taken = self.take(RateLimit::FailedProofsByAddress, Party::Network(self.network));
                taken.err().unwrap_or(refusal)
            }
            _ => refusal,
        }
    }

    /// What is answered to whoever is not who they claim to be: where there was too much of it, that. Every route counts it.
    pub(crate) fn unknown(&self, refusal: Refusal) -> Refusal {
        let shows_credentials = match self.route.caller {
            Caller::Client
            | Caller::Bearer(_)
            | Caller::Token(_)
            | Caller::Applicant
            | Caller::Registration
            | Caller::Session
            | Caller::Flow => true,
            Caller::Anyone | Caller::Browser | Caller::Person => false,
        };
        let key = (RateLimit::FailedCredentialsByAddress, Party::Network(self.network));
        match (refusal.code().status(), self.paces) {
            // Whoever is told to repeat a nonce has everything else right.
            _ if refusal.code() == RefusalCode::KeyProofNonceNeeded => refusal,
            (401, Some(paces)) if shows_credentials => {
                self.counting.take(paces, key, self.now).map_err(too_many).err().unwrap_or(refusal)
            }
            _ => refusal,
        }
    }

    fn take(&self, limit: RateLimit, party: Party) -> Result<(), Refusal> {
        self.must_declare(limit)?;
        let Some(paces) = self.paces else { return Ok(()) };
        self.counting.take(paces, (limit, party), self.now).map_err(too_many)
    }

    /// A limit that the row does not declare is a mistake of ours, which shows in the first test that comes by.
    fn must_declare(&self, limit: RateLimit) -> Result<(), Refusal> {
        if self.route.rate_limits.include(limit) {
            return Ok(());
        }
        let public = "something went wrong on our side";
        let reason = format!("{:?} does not declare {limit:?}", self.route);
        Err(Refusal::new(RefusalCode::ServerError, public, reason))
    }
}

impl Paces {
    /// The pace of what is counted here.
    const fn of(&self, limit: RateLimit) -> Option<Pace> {
        match limit {
            RateLimit::FlowsByAddress | RateLimit::FlowsByAccount => Some(self.flows),
            RateLimit::StoredRequestsByAddress => Some(self.stored_requests),
            RateLimit::WritesByAccount => Some(self.account),
            RateLimit::FailedProofsByAddress => Some(self.proofs),
            RateLimit::MessagesByAddress => Some(self.sends),
            RateLimit::FailedCredentialsByAddress => Some(self.credentials),
            RateLimit::RegistrationChangesByClient => Some(self.registration_changes),
            RateLimit::InvitationsByOrganization => Some(self.invitations),
            // These have counters of their own.
            RateLimit::RegistrationsByAddress
            | RateLimit::TokensByGrant
            | RateLimit::ProvisioningByCredential => None,
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

fn too_many(wait: Lifetime) -> Refusal {
    let public = "too many requests came from your network or account: wait a moment";
    Refusal::new(RefusalCode::TooManyRequests, public, "a rate limit").retry_after(wait)
}

#[cfg(test)]
mod tests;
