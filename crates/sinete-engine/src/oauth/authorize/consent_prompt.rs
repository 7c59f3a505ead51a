//! The question of consent, with everything a person needs to answer it, in both languages.

use super::channel::AuthorizationResponseChannel;
use super::requested_scopes::RequestedAudience;
use super::requesting_client::RequestingClient;
use super::scope_description::ScopeDescription;
use super::{ConsentRequest, OrganizationOption};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use sinete_core::access_control::scope::Scope;
use sinete_core::accounts::language::Language;
use sinete_core::client_id::ClientKind;
use sinete_core::oauth::authorize::consent::{ClientTrust, NewConsentItems};
use sinete_core::oauth::claims::ClaimDefinition;
use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_core::time::Timestamp;
use sinete_store::organizations::memberships::UsableMembership;
use std::collections::BTreeMap;

/// What a person is asked. They answer with the agreement in it, or with no.
#[derive(Clone, Debug, Serialize)]
pub struct ConsentPrompt {
    /// Who asks.
    pub client: ConsentClient,
    /// Where the answer goes: a host, or an application's own scheme; nowhere, where a device waits for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_host: Option<String>,
    /// The device that waits for the answer, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<ConsentDevice>,
    /// The client that waits for an approval, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<CibaClient>,
    /// The organization in which it is asked.
    pub organization: OrganizationOption,
    /// What the API is called; none where only the identity is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
    /// What is asked for, line by line.
    pub lines: Vec<ConsentScope>,
    /// What is asked for by the names of claims, because no scope of the request releases it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ConsentClaim>,
    /// What is asked for in detail (RFC 9396), as the API understands it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Map<String, Value>>,
    /// What saying yes agrees to.
    #[serde(skip)]
    pub agreement: ConsentRequest,
}

/// Who asks, in its own words and in ours.
#[derive(Clone, Debug, Serialize)]
pub struct ConsentClient {
    /// Its id.
    pub id: String,
    /// What it calls itself.
    pub name: String,
    /// What it is.
    pub kind: ClientKind,
    /// Who says that it is what it pretends to be.
    #[serde(serialize_with = "serialize_client_trust")]
    pub vouched_by: ClientTrust,
    /// Its home page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// Its terms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<String>,
    /// Its privacy policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub privacy_policy: Option<String>,
    /// The same in other languages, by metadata name, as in `client_name#pt-BR`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub localized: BTreeMap<String, String>,
}

/// A device that asks, told from what it says of itself and from where it asked. It proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConsentDevice {
    /// The program and the system, in English; nothing, where neither is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub english: Option<String>,
    /// The same in Portuguese.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub portuguese: Option<String>,
    /// The network address it asked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Where that is, as far as somebody told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// When it asked, in seconds since 1970.
    pub asked_at: i64,
}

/// A client that asks for an approval: from where it asked, and what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CibaClient {
    /// What the person compares with what they see elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding_message: Option<String>,
    /// From where it asked.
    #[serde(flatten)]
    pub from: ConsentDevice,
}

impl ConsentDevice {
    /// Whoever is described like this, and asked at this moment.
    pub(crate) fn new(from: &DeviceDescription, asked_at: Timestamp) -> Self {
        Self {
            english: from.localize_device(Language::English),
            portuguese: from.localize_device(Language::Portuguese),
            address: from.address.map(|address| address.to_string()),
            place: from.place.clone(),
            asked_at: asked_at.seconds(),
        }
    }
}

/// One thing that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConsentScope {
    /// The scope.
    pub scope: String,
    /// The description in English.
    pub english: String,
    /// The description in Portuguese.
    pub portuguese: String,
    /// Whether it was not agreed to before.
    pub is_new: bool,
    /// Whether what it allows cannot be taken back.
    pub is_irreversible: bool,
}

/// One claim that is asked for by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConsentClaim {
    /// Its name.
    pub claim: &'static str,
    /// What releasing it means, in English.
    pub english: &'static str,
    /// What releasing it means, in Portuguese.
    pub portuguese: &'static str,
    /// Whether it was not agreed to before.
    pub is_new: bool,
}

/// Where it is asked.
pub(super) struct ConsentTarget<'a> {
    pub(super) usable: &'a UsableMembership,
    pub(super) audience: &'a RequestedAudience,
}

/// The question.
pub(super) fn build_consent_prompt(
    applicant: &RequestingClient,
    via: &AuthorizationResponseChannel,
    at: ConsentTarget<'_>,
    agreement: ConsentRequest,
    new: &NewConsentItems,
) -> ConsentPrompt {
    let (client, metadata) = (&applicant.cached.client, &applicant.cached.metadata);
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
    ConsentPrompt {
        client: ConsentClient {
            id: client.id.to_string(),
            name: client.name.clone(),
            kind: client.kind,
            vouched_by: applicant.trust,
            home: metadata.client_uri.clone(),
            terms: metadata.tos_uri.clone(),
            privacy_policy: metadata.policy_uri.clone(),
            localized: metadata.localized.clone(),
        },
        redirect_host: Some(via.redirect_host()).filter(|host| !host.is_empty()),
        device: match via {
            AuthorizationResponseChannel::Browser(_) | AuthorizationResponseChannel::Backchannel(_) => None,
            AuthorizationResponseChannel::Device(waiting) => {
                Some(ConsentDevice::new(&waiting.device, waiting.asked_at))
            }
        },
        approval: match via {
            AuthorizationResponseChannel::Browser(_) | AuthorizationResponseChannel::Device(_) => None,
            AuthorizationResponseChannel::Backchannel(approving) => Some(CibaClient {
                binding_message: approving.message.as_ref().map(|message| message.as_str().to_owned()),
                from: ConsentDevice::new(&approving.device, approving.asked_at),
            }),
        },
        organization: OrganizationOption {
            id: at.usable.organization,
            slug: at.usable.slug.clone(),
            name: at.usable.name.clone(),
        },
        api: match at.audience {
            RequestedAudience::Instance(_) => None,
            RequestedAudience::Api(api) => Some(api.definition.name.clone()),
        },
        lines: agreement.scopes.iter().map(line).collect(),
        claims: agreement.claims.iter().map(claim).collect(),
        details: agreement.details.clone().into_objects(),
        agreement,
    }
}

fn serialize_client_trust<S: Serializer>(vouching: &ClientTrust, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match vouching {
        ClientTrust::Operator => "operator",
        ClientTrust::Organization => "organization",
        ClientTrust::Nobody => "nobody",
    })
}
