//! Connections, as requested and returned.

mod schemas;

pub(crate) use schemas::{CONNECTION, CONNECTION_PATCH, CONNECTION_TEST_RESULT, NEW_CONNECTION, SCHEMAS};

use crate::management_api::pagination::ResourceView;
use serde::{Deserialize, Serialize};
use sinete_core::id::ConnectionId;
use sinete_core::identity_providers::connections::{
    ConnectionSettings, ConnectionSettingsDocument, ProviderAuthMethod, TwoFactorMapping,
};
use sinete_core::identity_providers::owner_confirmation::OwnerConfirmation;
use sinete_core::identity_providers::saml::settings::SamlConnectionSettings;
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;
use sinete_engine::Engine;
use sinete_engine::identity_providers::connection_check::ConnectionFinding;
use sinete_engine::identity_providers::connections::{ConnectionDraft, ConnectionOverview};
use sinete_engine::identity_providers::{callback_url, saml};
use sinete_server::reply::HandlerError;
use sinete_server::reply::json::JsonTimestamp;

/// A connection to create.
#[derive(Deserialize)]
pub(crate) struct NewConnectionInput {
    #[serde(default)]
    issuer: Option<String>,
    #[serde(flatten)]
    settings: ConnectionInput,
}

impl NewConnectionInput {
    pub(crate) fn into_connection_request(self) -> Result<(Option<String>, ConnectionDraft), Refusal> {
        Ok((self.issuer, self.settings.into_connection_request()?))
    }
}

/// The editable properties of a connection.
#[derive(Serialize, Deserialize)]
pub(crate) struct ConnectionInput {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    authentication: Option<ProviderAuthMethod>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scopes: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    saml: Option<SamlConnectionSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    metadata: Option<String>,
    #[serde(default)]
    two_factors: TwoFactorMapping,
    #[serde(default)]
    external_id_claim: Option<String>,
    #[serde(default)]
    domains: Vec<String>,
    #[serde(default)]
    enabled: bool,
}

impl ConnectionInput {
    pub(crate) fn from_connection(overview: &ConnectionOverview) -> Self {
        let document = ConnectionSettingsDocument::from(overview.connection.settings.clone());
        Self {
            name: document.name,
            client_id: document.client_id,
            authentication: document.authentication,
            client_secret: None,
            scopes: document.scopes,
            saml: document.saml,
            metadata: None,
            two_factors: document.two_factors,
            external_id_claim: document.external_id_claim,
            domains: overview.domains.iter().map(ToString::to_string).collect(),
            enabled: overview.connection.is_enabled,
        }
    }

    pub(crate) fn into_connection_request(self) -> Result<ConnectionDraft, Refusal> {
        let text = ConnectionSettingsDocument {
            name: self.name,
            client_id: self.client_id,
            authentication: self.authentication,
            scopes: self.scopes,
            two_factors: self.two_factors,
            external_id_claim: self.external_id_claim,
            // Only SAML providers have metadata in the request.
            saml: self.saml.or_else(|| self.metadata.is_some().then(SamlConnectionSettings::default)),
        };
        let settings = ConnectionSettings::try_from(text).map_err(|conflicting_protocols| {
            let mut errors = ValidationErrors::default();
            errors.add("/saml", conflicting_protocols.to_string());
            Refusal::from_validation_errors(errors)
        })?;
        Ok(ConnectionDraft {
            settings,
            secret: self.client_secret,
            domains: self.domains,
            is_enabled: self.enabled,
            metadata: self.metadata,
        })
    }
}

/// A connection, as returned.
#[derive(Serialize)]
pub(crate) struct ConnectionView {
    id: ConnectionId,
    kind: &'static str,
    issuer: String,
    #[serde(flatten)]
    settings: ConnectionInput,
    has_secret: bool,
    confirmed: bool,
    callback: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    entity_id: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    certificates: Vec<CertificateView>,
    created_at: JsonTimestamp,
    version: i64,
}

/// A certificate of a provider, for identification.
#[derive(Serialize)]
struct CertificateView {
    sha256: String,
    ends_at: JsonTimestamp,
}

impl ConnectionView {
    pub(crate) fn from_connection(engine: &Engine, overview: &ConnectionOverview) -> Self {
        let spoken = overview.connection.settings.saml_settings();
        let certificates = spoken.map(saml::parse_certificates).unwrap_or_default();
        let views = certificates
            .iter()
            .map(|it| CertificateView { sha256: it.fingerprint(), ends_at: JsonTimestamp(it.expires_at()) });
        Self {
            id: overview.connection.id,
            kind: if spoken.is_some() { "saml" } else { "oidc" },
            entity_id: spoken.map(|_| saml::entity_id(engine, overview.connection.id)),
            certificates: views.collect(),
            issuer: overview.connection.issuer.to_string(),
            settings: ConnectionInput::from_connection(overview),
            has_secret: overview.connection.has_secret,
            confirmed: overview.connection.confirmation == OwnerConfirmation::Confirmed,
            callback: callback_url(engine, overview.connection.id),
            created_at: JsonTimestamp(overview.connection.created_at),
            version: overview.connection.version,
        }
    }
}

impl ResourceView for ConnectionView {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(self)
    }
}

/// The result of a connection test.
#[derive(Serialize)]
pub(crate) struct ConnectionTestView<'a> {
    works: bool,
    checks: Vec<ConnectionCheckView<'a>>,
}

#[derive(Serialize)]
struct ConnectionCheckView<'a> {
    check: &'static str,
    wrong: Option<&'a str>,
}

impl<'a> ConnectionTestView<'a> {
    pub(crate) fn from_findings(findings: &'a [ConnectionFinding]) -> Self {
        let view = |it: &'a ConnectionFinding| ConnectionCheckView {
            check: it.check.name(),
            wrong: it.problem.as_deref(),
        };
        Self {
            works: findings.iter().all(|it| it.problem.is_none()),
            checks: findings.iter().map(view).collect(),
        }
    }
}
