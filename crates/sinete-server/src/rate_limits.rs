//! Rate limits per network address, account, organization or client: in memory, on each node. By address,
//! only requests without valid credentials are counted, so that an authenticated caller is never delayed by a
//! neighbor behind the same address. Each route declares its limits.

use crate::route::{CallerKind, RateLimitKind, RouteRateLimits};
use sinete_core::client_id::ClientId;
use sinete_core::id::{AccountId, OrganizationId};
use sinete_core::platform::rate_limit::{RateLimit, TokenBucket, client_network};
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::sign_in::flows::purpose::FlowKind;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_engine::sign_in::flows::FlowActor;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Maximum tracked parties, over all kinds of limits.
const TRACKED_PARTIES_MAX: usize = 100_000;

/// The configured limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Starting flows and authorization requests, by address or account.
    pub flows: RateLimit,
    /// Requests stored for clients that anyone can use, by address.
    pub stored_requests: RateLimit,
    /// Failed passwords, codes and other proofs.
    pub proofs: RateLimit,
    /// Messages.
    pub messages: RateLimit,
    /// Failed authentications of clients and callers.
    pub credentials: RateLimit,
    /// Other writes of signed-in users, by account.
    pub account_writes: RateLimit,
    /// Invitations, by organization.
    pub invitations: RateLimit,
    /// Changes of a client's own registration.
    pub registration_changes: RateLimit,
    /// Tokens per grant of clients that anyone can use; counted by the engine.
    pub tokens_of_grant: RateLimit,
    /// Whether requests from this machine are limited.
    pub loopback: LoopbackPolicy,
}

/// Whether requests from this machine are limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopbackPolicy {
    /// Like others.
    Limited,
    /// Exempt, for development.
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

/// The party that is counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum LimitedParty {
    Network(IpAddr),
    Account(AccountId),
    Organization(OrganizationId),
    Client(ClientId),
}

/// The buckets of all parties.
#[derive(Debug, Default)]
pub(crate) struct RateLimitCounters(Mutex<HashMap<(RateLimitKind, LimitedParty), TokenBucket>>);

/// The rate limits of one request.
pub struct RateLimitedRequest<'a> {
    counters: &'a RateLimitCounters,
    /// `None` if its address is exempt.
    limits: Option<&'a RateLimits>,
    route: RateLimitedRoute,
    network: IpAddr,
    now: Timestamp,
}

/// The properties of a request's route that rate limits depend on.
#[derive(Clone, Copy, Debug)]
pub struct RateLimitedRoute {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) caller: CallerKind,
    pub(crate) rate_limits: RouteRateLimits,
}

impl RateLimitCounters {
    /// The rate limits of a request to this route from this address.
    pub(crate) fn for_request<'a>(
        &'a self,
        limits: Option<&'a RateLimits>,
        route: RateLimitedRoute,
        client: IpAddr,
        now: Timestamp,
    ) -> RateLimitedRequest<'a> {
        let limits = limits.filter(|limits| limits.applies_to(client));
        RateLimitedRequest { counters: self, limits, route, network: client_network(client), now }
    }

    fn take_token(
        &self,
        limits: &RateLimits,
        key: (RateLimitKind, LimitedParty),
        now: Timestamp,
    ) -> Result<(), Lifetime> {
        let Some(rate_limit) = limits.bucket_rate(key.0) else { return Ok(()) };
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= TRACKED_PARTIES_MAX && !buckets.contains_key(&key) {
            let is_full = |limit: RateLimitKind, bucket: &TokenBucket| {
                limits.bucket_rate(limit).is_none_or(|rate_limit| bucket.is_full(rate_limit, now))
            };
            buckets.retain(|(limit, _), bucket| !is_full(*limit, bucket));
            // This many parties mean a distributed attack; the state is reset.
            if buckets.len() >= TRACKED_PARTIES_MAX {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(key).or_insert(TokenBucket::new_full(rate_limit, now));
        *bucket = bucket.take_token(rate_limit, now)?;
        Ok(())
    }

    fn check_available(
        &self,
        limits: &RateLimits,
        key: &(RateLimitKind, LimitedParty),
        now: Timestamp,
    ) -> Result<(), Lifetime> {
        let buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (buckets.get(key), limits.bucket_rate(key.0)) {
            (Some(bucket), Some(rate_limit)) => bucket.check_available(rate_limit, now),
            _ => Ok(()),
        }
    }
}

impl RateLimitedRequest<'_> {
    /// Counts the start of a flow or authorization request by an unauthenticated user.
    pub fn check_flow_start_by_address(&self) -> Result<(), Refusal> {
        self.take_token(RateLimitKind::FlowsByAddress, LimitedParty::Network(self.network))
    }

    /// Counts a request that is stored for a client that anyone can use.
    pub fn count_stored_request(&self) -> Result<(), Refusal> {
        self.take_token(RateLimitKind::StoredRequestsByAddress, LimitedParty::Network(self.network))
    }

    /// Counts the start of a flow, by account or else by address, and its message if one is sent at once.
    pub fn check_flow_start(&self, actor: &FlowActor, kind: FlowKind) -> Result<(), Refusal> {
        match &actor.session {
            None => self.check_flow_start_by_address(),
            Some(signed_in) => self.check_flow_start_by_account(signed_in.session.account),
        }?;
        if kind.sends_at_start() { self.count_message() } else { Ok(()) }
    }

    /// Counts a message.
    fn count_message(&self) -> Result<(), Refusal> {
        self.take_token(RateLimitKind::MessagesByAddress, LimitedParty::Network(self.network))
    }

    /// Counts the start of a flow by a signed-in user.
    pub fn check_flow_start_by_account(&self, account: AccountId) -> Result<(), Refusal> {
        self.take_token(RateLimitKind::FlowsByAccount, LimitedParty::Account(account))
    }

    /// Counts another write of a signed-in user.
    pub fn check_account_write(&self, account: AccountId) -> Result<(), Refusal> {
        self.take_token(RateLimitKind::WritesByAccount, LimitedParty::Account(account))
    }

    /// Counts an invitation.
    pub fn check_invitation(&self, organization: OrganizationId) -> Result<(), Refusal> {
        self.take_token(RateLimitKind::InvitationsByOrganization, LimitedParty::Organization(organization))
    }

    /// Counts a change of a client's own registration.
    pub fn check_registration_change(&self, client: &ClientId) -> Result<(), Refusal> {
        self.take_token(RateLimitKind::RegistrationChangesByClient, LimitedParty::Client(client.clone()))
    }

    /// Checks an input of a flow: counts its message, and refuses if there were too many failures, before any
    /// work is done.
    pub fn check_flow_action(&self, action: &str) -> Result<(), Refusal> {
        if MESSAGE_SENDING_ACTIONS.contains(&action) {
            self.count_message()?;
        }
        self.require_declared(RateLimitKind::FailedProofsByAddress)?;
        let Some(limits) = self.limits else { return Ok(()) };
        let key = (RateLimitKind::FailedProofsByAddress, LimitedParty::Network(self.network));
        let available = self.counters.check_available(limits, &key, self.now);
        available.map_err(|wait| too_many_requests(key.0, wait))
    }

    /// Counts a failed proof in a flow, and returns the refusal, or that of the rate limit.
    pub fn count_failed_proof(&self, refusal: Refusal) -> Refusal {
        match refusal.code().status() {
            422 => {
                let result = self
                    .take_token(RateLimitKind::FailedProofsByAddress, LimitedParty::Network(self.network));
                result.err().unwrap_or(refusal)
            }
            _ => refusal,
        }
    }

    /// Counts a failed authentication, and returns the refusal, or that of the rate limit. All routes count
    /// it.
    pub(crate) fn count_failed_credential(&self, refusal: Refusal) -> Refusal {
        let shows_credentials = match self.route.caller {
            CallerKind::Client
            | CallerKind::Bearer(_)
            | CallerKind::Token(_)
            | CallerKind::Registrant
            | CallerKind::Registration
            | CallerKind::Session
            | CallerKind::Flow => true,
            CallerKind::Anyone | CallerKind::Browser | CallerKind::SignedInUser => false,
        };
        let key = (RateLimitKind::FailedCredentialsByAddress, LimitedParty::Network(self.network));
        match (refusal.code().status(), self.limits) {
            // A client that only lacks a nonce has valid credentials.
            _ if refusal.code() == RefusalCode::KeyProofNonceNeeded => refusal,
            (401, Some(limits)) if shows_credentials => {
                self.counters.take_token(limits, key, self.now).err().map_or(refusal, |wait| {
                    too_many_requests(RateLimitKind::FailedCredentialsByAddress, wait)
                })
            }
            _ => refusal,
        }
    }

    fn take_token(&self, limit: RateLimitKind, party: LimitedParty) -> Result<(), Refusal> {
        self.require_declared(limit)?;
        let Some(limits) = self.limits else { return Ok(()) };
        let result = self.counters.take_token(limits, (limit, party), self.now);
        result.map_err(|wait| too_many_requests(limit, wait))
    }

    /// A limit that the route does not declare is a bug, which tests detect.
    fn require_declared(&self, limit: RateLimitKind) -> Result<(), Refusal> {
        if self.route.rate_limits.includes(limit) {
            return Ok(());
        }
        let reason = format!("{} {} does not declare {limit:?}", self.route.method, self.route.path);
        Err(Refusal::because(RequestRefusal::ServerError, reason))
    }
}

impl RateLimits {
    /// The rate of a limit counted here.
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
            // These have their own counters.
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

/// The flow actions that send a message.
const MESSAGE_SENDING_ACTIONS: [&str; 4] = ["email", "sms_code", "resend", "details"];

fn too_many_requests(limit: RateLimitKind, wait: Lifetime) -> Refusal {
    Refusal::because(RequestRefusal::RateLimited, "a rate limit")
        .with_limit(limit.limit_kind())
        .with_retry_after(wait)
}

#[cfg(test)]
mod tests;
