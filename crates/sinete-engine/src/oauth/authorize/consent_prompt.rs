//! The consent prompt, with everything the user needs to decide, in both languages.

use super::channel::{AuthorizationResponseChannel, PollingClient};
use super::requested_scopes::RequestedAudience;
use super::requesting_client::ActiveClient;
use super::scope_description::ScopeDescription;
use super::{ConsentRequest, OrganizationOption};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use sinete_core::access_control::scope::Scope;
use sinete_core::accounts::language::Language;
use sinete_core::client_id::ClientKind;
use sinete_core::oauth::authorize::consent::{ClientTrust, NewConsentItems};
use sinete_core::oauth::claims::ClaimDefinition;
use sinete_core::oauth::grants::deferred::DeferredGrantKind;
use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_core::time::Timestamp;
use sinete_store::organizations::memberships::UsableMembership;
use std::collections::BTreeMap;

/// The consent prompt. The user responds with its `agreement`, or denies.
#[derive(Clone, Debug, Serialize)]
pub struct ConsentPrompt {
    /// The client.
    pub client: ConsentClient,
    /// Where the response goes: a host, or the scheme of a native application; `None` for device
    /// authorization and CIBA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_host: Option<String>,
    /// The waiting device, for device authorization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<ConsentDevice>,
    /// The waiting client, for CIBA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<CibaClient>,
    /// The organization.
    pub organization: OrganizationOption,
    /// The name of the API; `None` if only identity scopes are requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
    /// The requested scopes.
    #[serde(rename = "lines")]
    pub scopes: Vec<ConsentScope>,
    /// The claims requested by name that no requested scope releases.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ConsentClaim>,
    /// The authorization details (RFC 9396).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Map<String, Value>>,
    /// What the consent grants.
    #[serde(skip)]
    pub consent_request: ConsentRequest,
}

/// The client, as shown.
#[derive(Clone, Debug, Serialize)]
pub struct ConsentClient {
    /// Its id.
    pub id: String,
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: ClientKind,
    /// Who verified it.
    #[serde(serialize_with = "serialize_client_trust")]
    pub vouched_by: ClientTrust,
    /// The home page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// The terms of service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<String>,
    /// The privacy policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub privacy_policy: Option<String>,
    /// The same in other languages, by metadata name, as in `client_name#pt-BR`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub localized: BTreeMap<String, String>,
}

/// The requesting device, by its user agent and address. It proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "AskedFrom")]
pub struct ConsentDevice {
    /// The program and operating system, in English; missing if they are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub english: Option<String>,
    /// The same in Portuguese.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub portuguese: Option<String>,
    /// The IP address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The location, if known.
    #[serde(rename = "place", skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// When it made the request, in seconds since 1970.
    #[schemars(description = "In seconds since 1970.")]
    pub asked_at: i64,
}

/// A CIBA client: the origin of its request and its message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CibaClient {
    /// The binding message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding_message: Option<String>,
    /// The origin of the request.
    #[serde(flatten)]
    pub from: ConsentDevice,
}

impl ConsentDevice {
    /// Creates it from a device description.
    pub(crate) fn new(from: &DeviceDescription, asked_at: Timestamp) -> Self {
        Self {
            english: from.localize_device(Language::English),
            portuguese: from.localize_device(Language::Portuguese),
            address: from.address.map(|address| address.to_string()),
            location: from.location.clone(),
            asked_at: asked_at.seconds(),
        }
    }
}

/// A requested scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConsentScope {
    /// The scope.
    pub scope: String,
    /// The description in English.
    pub english: String,
    /// The description in Portuguese.
    pub portuguese: String,
    /// Whether it is new compared with an earlier consent.
    pub is_new: bool,
    /// Whether the action is irreversible.
    pub is_irreversible: bool,
}

/// A claim requested by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConsentClaim {
    /// The name.
    pub claim: &'static str,
    /// The description in English.
    pub english: &'static str,
    /// The description in Portuguese.
    pub portuguese: &'static str,
    /// Whether it is new compared with an earlier consent.
    pub is_new: bool,
}

/// The organization and API of a prompt.
pub(super) struct ConsentTarget<'a> {
    pub(super) membership: &'a UsableMembership,
    pub(super) audience: &'a RequestedAudience,
}

/// Builds the prompt.
pub(super) fn build_consent_prompt(
    requesting_client: &ActiveClient,
    via: &AuthorizationResponseChannel,
    at: ConsentTarget<'_>,
    agreement: ConsentRequest,
    new: &NewConsentItems,
) -> ConsentPrompt {
    let (client, metadata) = (&requesting_client.client.client, &requesting_client.client.metadata);
    let line = |scope: &Scope| {
        let ScopeDescription { english, portuguese, is_irreversible } =
            ScopeDescription::from_scope(scope, at.audience);
        let is_new = new.scopes.iter().any(|it| it == scope);
        ConsentScope { scope: scope.to_string(), english, portuguese, is_new, is_irreversible }
    };
    let claim = |claim: &ClaimDefinition| ConsentClaim {
        claim: claim.name,
        english: claim.english,
        portuguese: claim.portuguese,
        is_new: new.claims.contains(claim.name),
    };
    let (device, approval) = match via {
        AuthorizationResponseChannel::Browser(_) => (None, None),
        AuthorizationResponseChannel::Deferred(client) => describe_waiting_client(client),
    };
    ConsentPrompt {
        client: ConsentClient {
            id: client.id.to_string(),
            name: client.name.clone(),
            kind: client.kind,
            vouched_by: requesting_client.trust,
            home: metadata.client_uri.clone(),
            terms: metadata.tos_uri.clone(),
            privacy_policy: metadata.policy_uri.clone(),
            localized: metadata.localized.clone(),
        },
        redirect_host: Some(via.redirect_host()).filter(|host| !host.is_empty()),
        device,
        approval,
        organization: OrganizationOption {
            id: at.membership.organization,
            slug: at.membership.slug.clone(),
            name: at.membership.name.clone(),
        },
        api: match at.audience {
            RequestedAudience::Instance(_) => None,
            RequestedAudience::Api(api) => Some(api.definition.name.clone()),
        },
        scopes: agreement.scopes.iter().map(line).collect(),
        claims: agreement.claims.iter().map(claim).collect(),
        details: agreement.details.clone().into_objects(),
        consent_request: agreement,
    }
}

/// What the prompt shows of a client that polls: its device, or what it sent with a CIBA request.
fn describe_waiting_client(client: &PollingClient) -> (Option<ConsentDevice>, Option<CibaClient>) {
    let from = ConsentDevice::new(&client.device, client.requested_at);
    match client.digest.kind() {
        DeferredGrantKind::DeviceAuthorization => (Some(from), None),
        DeferredGrantKind::Ciba => {
            let binding_message = client.message.as_ref().map(|message| message.as_str().to_owned());
            (None, Some(CibaClient { binding_message, from }))
        }
    }
}

fn serialize_client_trust<S: Serializer>(
    client_trust: &ClientTrust,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match client_trust {
        ClientTrust::Operator => "operator",
        ClientTrust::Organization => "organization",
        ClientTrust::SelfRegistered => "nobody",
    })
}
