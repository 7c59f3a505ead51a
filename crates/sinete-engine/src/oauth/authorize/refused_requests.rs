//! The last refused authorization requests of each client, for the page of the application on the console.
//!
//! Anyone can send such requests, so they are not stored: each node keeps the ones that it answered in memory, few for
//! each client (docs/contribute/decisions/0330-authorize-refused-requests-in-memory.md).

use super::ActiveClient;
use crate::{Engine, Failure};
use sinete_core::client_id::ClientId;
use sinete_core::id::OrganizationId;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::oauth::clients;
use sinete_store::oauth::clients::ClientOrigin;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

/// Maximum refused requests of one client.
const REFUSED_REQUESTS_MAX: usize = 20;

/// Maximum clients with refused requests.
const REFUSED_CLIENTS_MAX: usize = 1_000;

/// Maximum characters of a refused value or a description.
const REFUSED_TEXT_CHARACTERS_MAX: usize = 300;

/// Within this time, requests that are refused for the same reason are one entry.
const REFUSED_REQUESTS_MERGE_WINDOW: Lifetime = Lifetime::from_minutes(1);

/// A refused authorization request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedRequest {
    /// When it was refused.
    pub at: Timestamp,
    /// The reason: an error code of the authorization endpoint, or the name of a reason that is shown to the user only.
    pub reason: String,
    /// The description of the error.
    pub description: String,
    /// The refused value, if one parameter is the cause.
    pub value: Option<String>,
    /// The request id, which the user sees as the reference.
    pub reference: String,
    /// The number of requests in this entry. The other members are those of the latest one.
    pub count: u32,
}

/// The refused requests of all clients.
///
/// - Holds: the last refused authorization requests of a client, by client id. They are shown, and decide nothing.
/// - Confirmed by: nothing; an entry is a fact about the past.
/// - Dropped: when the client has newer ones, when too many clients have some, and when the node stops.
#[derive(Debug, Default)]
pub(crate) struct RefusedRequestLog(Mutex<HashMap<ClientId, VecDeque<RefusedRequest>>>);

impl RefusedRequestLog {
    /// Adds a request. The first entry of a minute and a reason remains where it is, and the others are merged into it.
    fn record(&self, client: &ClientId, request: RefusedRequest) {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= REFUSED_CLIENTS_MAX && !clients.contains_key(client) {
            let newest = |entries: &VecDeque<RefusedRequest>| entries.back().map(|entry| entry.at);
            let oldest = clients.iter().min_by_key(|(_, entries)| newest(entries)).map(|(id, _)| id.clone());
            if let Some(oldest) = oldest {
                clients.remove(&oldest);
            }
        }
        let entries = clients.entry(client.clone()).or_default();
        let is_merged = |entry: &&mut RefusedRequest| {
            entry.reason == request.reason && request.at.since(entry.at) < REFUSED_REQUESTS_MERGE_WINDOW
        };
        match entries.iter_mut().rev().find(is_merged) {
            // The time stays that of the first request, so that the minute ends even if requests continue.
            Some(entry) => {
                let (at, count) = (entry.at, entry.count.saturating_add(1));
                *entry = RefusedRequest { at, count, ..request };
            }
            None => {
                if entries.len() >= REFUSED_REQUESTS_MAX {
                    entries.pop_front();
                }
                entries.push_back(request);
            }
        }
    }

    /// The request with this reference, and its client.
    fn find(&self, reference: &str) -> Option<(ClientId, RefusedRequest)> {
        let clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        clients.iter().find_map(|(client, entries)| {
            let request = entries.iter().find(|entry| entry.reference.eq_ignore_ascii_case(reference))?;
            Some((client.clone(), request.clone()))
        })
    }

    /// The refused requests of a client, latest first.
    fn list(&self, client: &ClientId) -> Vec<RefusedRequest> {
        let clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        clients.get(client).map(|entries| entries.iter().rev().cloned().collect()).unwrap_or_default()
    }
}

/// Why a request was refused, and under which reference.
#[derive(Clone, Debug)]
pub struct RefusedRequestCause<'a> {
    /// The reason.
    pub reason: &'a str,
    /// The description of the error.
    pub description: &'a str,
    /// The refused value, if one parameter is the cause.
    pub value: Option<&'a str>,
    /// The request id.
    pub reference: String,
}

/// Remembers a refused request of an existing client.
pub fn record_refused_request(engine: &Engine, client: &ClientId, refusal: RefusedRequestCause<'_>) {
    engine.shared.refused_requests.record(
        client,
        RefusedRequest {
            at: engine.now(),
            reason: refusal.reason.to_owned(),
            description: shorten_text(refusal.description),
            value: refusal.value.map(shorten_text),
            reference: refusal.reference,
            count: 1,
        },
    );
}

/// The client with this id, if it exists and is enabled: requests that name any other are not remembered.
pub async fn find_refused_client(engine: &Engine, name: &str) -> Result<Option<ClientId>, Failure> {
    let Ok(id) = name.parse::<ClientId>() else { return Ok(None) };
    Ok(ActiveClient::find(engine, &id).await?.map(|client| client.client.client.id.clone()))
}

/// The refused requests of a client that this node answered, latest first.
pub fn list_refused_requests(engine: &Engine, client: &ClientId) -> Vec<RefusedRequest> {
    engine.shared.refused_requests.list(client)
}

/// A refused request that was found by its reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundRefusedRequest {
    /// The client that it names.
    pub client: ClientId,
    /// The organization of the client; none for a client of the instance.
    pub organization: Option<OrganizationId>,
    /// The request.
    pub request: RefusedRequest,
}

/// Finds a request that this node refused by its reference: for an organization, a request of one of its clients.
///
/// The caller must be allowed to read the clients of the organization, or of the instance.
pub async fn find_refused_request(
    engine: &Engine,
    reference: &str,
    organization: Option<OrganizationId>,
) -> Result<Option<FoundRefusedRequest>, Failure> {
    let Some((id, request)) = engine.shared.refused_requests.find(reference) else { return Ok(None) };
    let Some(client) = clients::find_client(engine.store(), &id).await? else { return Ok(None) };
    let owner = match client.origin {
        ClientOrigin::Organization(owner) => Some(owner),
        ClientOrigin::Operator | ClientOrigin::DynamicRegistration => None,
    };
    if organization.is_some() && owner != organization {
        return Ok(None);
    }
    Ok(Some(FoundRefusedRequest { client: id, organization: owner, request }))
}

/// The start of a text, without control characters.
fn shorten_text(text: &str) -> String {
    text.chars().filter(|it| !it.is_control()).take(REFUSED_TEXT_CHARACTERS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(at: i64, reason: &str, reference: &str) -> RefusedRequest {
        RefusedRequest {
            at: Timestamp::from_seconds(at),
            reason: reason.to_owned(),
            description: String::new(),
            value: None,
            reference: reference.to_owned(),
            count: 1,
        }
    }

    #[test]
    fn refused_requests_of_one_minute_and_reason_are_one_entry() {
        let (log, shop): (_, ClientId) = (RefusedRequestLog::default(), "shop".parse().unwrap());
        for second in 0..50 {
            log.record(&shop, refused(1_000 + second, "invalid_scope", &second.to_string()));
            log.record(&shop, refused(1_000 + second, "invalid_request", "other"));
        }
        let requests = log.list(&shop);
        assert_eq!(requests.len(), 2);
        assert_eq!((requests[1].count, requests[1].reference.as_str()), (50, "49"));
        // The next minute begins, although requests never stopped.
        log.record(&shop, refused(1_060, "invalid_scope", "next"));
        let requests = log.list(&shop);
        assert_eq!((requests.len(), requests[0].reference.as_str()), (3, "next"));
        assert!(log.list(&"other".parse().unwrap()).is_empty());
        assert_eq!(log.find("NEXT").map(|(client, _)| client), Some(shop));
        assert_eq!(log.find("48"), None, "only the latest reference of a minute is kept");
    }

    #[test]
    fn refused_requests_are_bounded_for_each_client_and_in_sum() {
        let (log, shop): (_, ClientId) = (RefusedRequestLog::default(), "shop".parse().unwrap());
        for minute in 0..30 {
            log.record(&shop, refused(60 * minute, "invalid_scope", &minute.to_string()));
        }
        let requests = log.list(&shop);
        assert_eq!(requests.len(), REFUSED_REQUESTS_MAX);
        assert_eq!((requests[0].reference.as_str(), requests[19].reference.as_str()), ("29", "10"));
        for client in 0..REFUSED_CLIENTS_MAX {
            log.record(&format!("client-{client}").parse().unwrap(), refused(10_000, "invalid_scope", ""));
        }
        assert!(log.list(&shop).is_empty());
        assert_eq!(log.0.lock().unwrap().len(), REFUSED_CLIENTS_MAX);
    }
}
