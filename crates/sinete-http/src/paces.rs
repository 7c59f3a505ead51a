//! How often one network address may ask for what costs us something and proves nothing, and how often somebody who proved
//! who they are may have us write: kept in memory, by each node for itself. Of requests by address only those without proof,
//! and those whose proof was wrong, are counted; whoever proves who they are is never held up by a neighbour behind the same
//! address. What a route counts, its row declares.

use crate::route::{CallerKind, RateLimitKind, RouteEntry};
use sinete_core::client_id::ClientId;
use sinete_core::id::{AccountId, OrganizationId};
use sinete_core::platform::rate_limit::{RateLimit, TokenBucket, client_network};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::sign_in::flows::purpose::FlowKind;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_engine::sign_in::flows::FlowActor;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Most addresses, accounts and the like remembered at a time, of each kind of request together.
const TRACKED_PARTIES_MAX: usize = 100_000;

/// How much of what one address, account or the like may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Starting flows and authorization requests, by address or account.
    pub flows: RateLimit,
    /// Requests that are stored for clients which anybody can be, by address.
    pub stored_requests: RateLimit,
    /// Wrong passwords, codes and the like.
    pub proofs: RateLimit,
    /// Messages to be sent.
    pub messages: RateLimit,
    /// Wrong credentials of clients and callers.
    pub credentials: RateLimit,
    /// Whatever else somebody has us write who is signed in, by account.
    pub account_writes: RateLimit,
    /// Invitations, by organization.
    pub invitations: RateLimit,
    /// Changes that a client makes to its own registration.
    pub registration_changes: RateLimit,
    /// Tokens that clients which anybody can be get by one grant; the engine counts them.
    pub tokens_of_grant: RateLimit,
    /// Whether this machine itself is held to it.
    pub loopback: LoopbackPolicy,
}

/// Whether requests from this machine itself are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopbackPolicy {
    /// Like any other.
    Limited,
    /// Whoever develops is not held up.
    Exempt,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            flows: RateLimit::per_minute(60),
            stored_requests: RateLimit::per_minute(60),
            proofs: RateLimit::per_minute(20),
            messages: RateLimit::per_minute(10),
            credentials: RateLimit::per_minute(300),
            account_writes: RateLimit::per_minute(300),
            invitations: RateLimit::per_minute(60),
            registration_changes: RateLimit::per_minute(10),
            tokens_of_grant: RateLimit::per_minute(60),
            loopback: LoopbackPolicy::Limited,
        }
    }
}

/// Whose requests are counted together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum LimitedParty {
    Network(IpAddr),
    Account(AccountId),
    Organization(OrganizationId),
    Client(ClientId),
}

/// What every party has left.
#[derive(Debug, Default)]
pub(crate) struct RateLimitCounters(Mutex<HashMap<(RateLimitKind, LimitedParty), TokenBucket>>);

/// One request, as far as it is counted.
pub(crate) struct RateLimitedRequest<'a> {
    counters: &'a RateLimitCounters,
    /// Nothing, where its address is not held to any.
    limits: Option<&'a RateLimits>,
    route: &'a RouteEntry,
    network: IpAddr,
    now: Timestamp,
}

impl RateLimitCounters {
    /// How a request to this route from this address is counted.
    pub(crate) fn for_request<'a>(
        &'a self,
        paces: Option<&'a RateLimits>,
        route: &'a RouteEntry,
        client: IpAddr,
        now: Timestamp,
    ) -> RateLimitedRequest<'a> {
        let paces = paces.filter(|paces| paces.applies_to(client));
        RateLimitedRequest { counters: self, limits: paces, route, network: client_network(client), now }
    }

    fn take_token(
        &self,
        paces: &RateLimits,
        key: (RateLimitKind, LimitedParty),
        now: Timestamp,
    ) -> Result<(), Lifetime> {
        let Some(pace) = paces.bucket_rate(key.0) else { return Ok(()) };
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= TRACKED_PARTIES_MAX && !buckets.contains_key(&key) {
            let is_full = |limit: RateLimitKind, bucket: &TokenBucket| {
                paces.bucket_rate(limit).is_none_or(|pace| bucket.is_full(pace, now))
            };
            buckets.retain(|(limit, _), bucket| !is_full(*limit, bucket));
            // So many at once is an attack from everywhere; whoever is forgotten begins anew.
            if buckets.len() >= TRACKED_PARTIES_MAX {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(key).or_insert(TokenBucket::new_full(pace, now));
        *bucket = bucket.take_token(pace, now)?;
        Ok(())
    }

    fn check_available(
        &self,
        paces: &RateLimits,
        key: &(RateLimitKind, LimitedParty),
        now: Timestamp,
    ) -> Result<(), Lifetime> {
        let buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (buckets.get(key), paces.bucket_rate(key.0)) {
            (Some(bucket), Some(pace)) => bucket.check_available(pace, now),
            _ => Ok(()),
        }
    }
}

impl RateLimitedRequest<'_> {
    /// Before a flow or a request for authorization is begun by somebody who is not signed in: takes what it costs.
    pub(crate) fn check_flow_start_by_address(&self) -> Result<(), Refusal> {
        self.take_token(RateLimitKind::FlowsByAddress, LimitedParty::Network(self.network))
    }

    /// Before a request is stored for a client which anybody can be.
    pub(crate) fn storing_request(&self) -> Result<(), Refusal> {
        self.take_token(RateLimitKind::StoredRequestsByAddress, LimitedParty::Network(self.network))
    }

    /// Before a flow is begun: takes what it costs, from whoever is signed in or else from the address, and what a message
    /// costs where one is sent at once.
    pub(crate) fn check_flow_start(&self, walker: &FlowActor, kind: FlowKind) -> Result<(), Refusal> {
        match &walker.session {
            None => self.check_flow_start_by_address(),
            Some(signed_in) => self.check_flow_start_by_account(signed_in.session.account),
        }?;
        if kind.sends_at_start() { self.sending() } else { Ok(()) }
    }

    /// Before a message is sent.
    fn sending(&self) -> Result<(), Refusal> {
        self.take_token(RateLimitKind::MessagesByAddress, LimitedParty::Network(self.network))
    }

    /// Before a flow is begun by somebody who is signed in.
    pub(crate) fn check_flow_start_by_account(&self, account: AccountId) -> Result<(), Refusal> {
        self.take_token(RateLimitKind::FlowsByAccount, LimitedParty::Account(account))
    }

    /// Before somebody who is signed in has us write something else than a flow.
    pub(crate) fn check_account_write(&self, account: AccountId) -> Result<(), Refusal> {
        self.take_token(RateLimitKind::WritesByAccount, LimitedParty::Account(account))
    }

    /// Before somebody is invited into an organization.
    pub(crate) fn check_invitation(&self, organization: OrganizationId) -> Result<(), Refusal> {
        self.take_token(RateLimitKind::InvitationsByOrganization, LimitedParty::Organization(organization))
    }

    /// Before a client changes its own registration.
    pub(crate) fn check_registration_change(&self, client: &ClientId) -> Result<(), Refusal> {
        self.take_token(RateLimitKind::RegistrationChangesByClient, LimitedParty::Client(client.clone()))
    }

    /// Before something is said in a flow: takes what a message costs, and refuses where too much was wrong, before
    /// it costs us anything.
    pub(crate) fn check_flow_action(&self, action: &str) -> Result<(), Refusal> {
        if MESSAGE_SENDING_ACTIONS.contains(&action) {
            self.sending()?;
        }
        self.require_declared(RateLimitKind::FailedProofsByAddress)?;
        let Some(paces) = self.limits else { return Ok(()) };
        let key = (RateLimitKind::FailedProofsByAddress, LimitedParty::Network(self.network));
        self.counters.check_available(paces, &key, self.now).map_err(too_many_requests)
    }

    /// What is answered to something that was refused in a flow: where there was too much of it, that.
    pub(crate) fn count_failed_proof(&self, refusal: Refusal) -> Refusal {
        match refusal.code().status() {
            422 => {
                let taken = self
                    .take_token(RateLimitKind::FailedProofsByAddress, LimitedParty::Network(self.network));
                taken.err().unwrap_or(refusal)
            }
            _ => refusal,
        }
    }

    /// What is answered to whoever is not who they claim to be: where there was too much of it, that. Every route counts it.
    pub(crate) fn count_failed_credential(&self, refusal: Refusal) -> Refusal {
        let shows_credentials = match self.route.caller {
            CallerKind::Client
            | CallerKind::Bearer(_)
            | CallerKind::Token(_)
            | CallerKind::Applicant
            | CallerKind::Registration
            | CallerKind::Session
            | CallerKind::Flow => true,
            CallerKind::Anyone | CallerKind::Browser | CallerKind::Person => false,
        };
        let key = (RateLimitKind::FailedCredentialsByAddress, LimitedParty::Network(self.network));
        match (refusal.code().status(), self.limits) {
            // Whoever is told to repeat a nonce has everything else right.
            _ if refusal.code() == RefusalCode::KeyProofNonceNeeded => refusal,
            (401, Some(paces)) if shows_credentials => self
                .counters
                .take_token(paces, key, self.now)
                .map_err(too_many_requests)
                .err()
                .unwrap_or(refusal),
            _ => refusal,
        }
    }

    fn take_token(&self, limit: RateLimitKind, party: LimitedParty) -> Result<(), Refusal> {
        self.require_declared(limit)?;
        let Some(paces) = self.limits else { return Ok(()) };
        self.counters.take_token(paces, (limit, party), self.now).map_err(too_many_requests)
    }

    /// A limit that the row does not declare is a mistake of ours, which shows in the first test that comes by.
    fn require_declared(&self, limit: RateLimitKind) -> Result<(), Refusal> {
        if self.route.rate_limits.includes(limit) {
            return Ok(());
        }
        let public = "something went wrong on our side";
        let reason = format!("{:?} does not declare {limit:?}", self.route);
        Err(Refusal::new(RefusalCode::ServerError, public, reason))
    }
}

impl RateLimits {
    /// The pace of what is counted here.
    const fn bucket_rate(&self, limit: RateLimitKind) -> Option<RateLimit> {
        match limit {
            RateLimitKind::FlowsByAddress | RateLimitKind::FlowsByAccount => Some(self.flows),
            RateLimitKind::StoredRequestsByAddress => Some(self.stored_requests),
            RateLimitKind::WritesByAccount => Some(self.account_writes),
            RateLimitKind::FailedProofsByAddress => Some(self.proofs),
            RateLimitKind::MessagesByAddress => Some(self.messages),
            RateLimitKind::FailedCredentialsByAddress => Some(self.credentials),
            RateLimitKind::RegistrationChangesByClient => Some(self.registration_changes),
            RateLimitKind::InvitationsByOrganization => Some(self.invitations),
            // These have counters of their own.
            RateLimitKind::RegistrationsByAddress
            | RateLimitKind::TokensByGrant
            | RateLimitKind::ProvisioningByCredential => None,
        }
    }

    const fn applies_to(&self, client: IpAddr) -> bool {
        match self.loopback {
            LoopbackPolicy::Limited => true,
            LoopbackPolicy::Exempt => !client.is_loopback(),
        }
    }
}

/// What is said in a flow and makes us write to somebody.
const MESSAGE_SENDING_ACTIONS: [&str; 4] = ["email", "sms_code", "resend", "details"];

fn too_many_requests(wait: Lifetime) -> Refusal {
    let public = "too many requests came from your network or account: wait a moment";
    Refusal::new(RefusalCode::TooManyRequests, public, "a rate limit").with_retry_after(wait)
}

#[cfg(test)]
mod tests;
