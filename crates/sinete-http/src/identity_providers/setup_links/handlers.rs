//! Handlers of set-up links, for owners.

use crate::management_api::idempotent_create::CreatedResource;
use crate::management_api::pagination::ResourceView;
use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinete_core::id::{ConnectionId, SetupLinkId};
use sinete_core::refusal::Refusal;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_core::validation::ValidationErrors;
use sinete_engine::identity_providers::setup_links;
use sinete_engine::identity_providers::setup_links::{IssuedSetupLink, SetupLinkOverview, SetupLinkState};
use sinete_server::extract::time_parameter::TimeParameter;
use sinete_server::reply::json::{
    JsonTimestamp, json_response, no_content_response, serialize_json, with_etag,
};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn issue_setup_link(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let lifetime = management_request.parse_body::<NewSetupLinkInput>()?.lifetime(access.now())?;
    management_request
        .create_once(
            async |claim| {
                setup_links::issue(management_request.engine(), &access.with_claim(claim), lifetime).await
            },
            |issued: IssuedSetupLink| {
                let link = &issued.overview.link;
                let location = management_request.child_location(link.id);
                let view = IssuedSetupLinkView {
                    id: link.id,
                    expires_at: JsonTimestamp(link.expires_at),
                    url: issued.url,
                };
                Ok(CreatedResource::new(&view, location)?.with_secret())
            },
        )
        .await
}

pub(crate) async fn list_setup_links(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let page = management_request.page_request(Some(access.organization.id))?;
    let read =
        setup_links::list(management_request.engine(), &access, page.after()?, page.fetch_limit()).await?;
    let now = access.now();
    let views = read.iter().map(|overview| SetupLinkView::from_overview(overview, now)).collect();
    page.to_response(management_request.engine(), views)
}

pub(crate) async fn show_setup_link(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let overview =
        setup_links::show(management_request.engine(), &access, management_request.path_id("setup_link")?)
            .await?;
    link_response(&overview, access.now())
}

pub(crate) async fn revoke_setup_link(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    setup_links::revoke(management_request.engine(), &access, management_request.path_id("setup_link")?)
        .await?;
    Ok(no_content_response())
}

pub(crate) async fn confirm_setup_link(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let (id, expected_version) =
        (management_request.path_id("setup_link")?, management_request.if_match_version()?);
    let overview = setup_links::confirm(management_request.engine(), &access, id, expected_version).await?;
    link_response(&overview, access.now())
}

fn link_response(overview: &SetupLinkOverview, now: Timestamp) -> Result<Response, HandlerError> {
    let view = SetupLinkView::from_overview(overview, now);
    Ok(with_etag(json_response(StatusCode::OK, serialize_json(&view)?), overview.link.version))
}

/// A set-up link, as returned. Its URL is not returned again.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SetupLinkView {
    id: SetupLinkId,
    #[schemars(extend("enum" = ["issued", "opened", "expired", "revoked", "confirmed"]))]
    state: &'static str,
    /// The prepared connection, which is disabled until the link is confirmed.
    connection: Option<PreparedConnectionView>,
    /// The prepared domain.
    domain: Option<String>,
    /// Whether a SCIM token was prepared. It is an API key of the owner who confirms the link.
    scim: bool,
    /// Who issued it, by kind and id.
    made_by: String,
    created_at: JsonTimestamp,
    expires_at: JsonTimestamp,
    /// When a browser opened it, and was bound to it.
    opened_at: Option<JsonTimestamp>,
    revoked_at: Option<JsonTimestamp>,
    confirmed_at: Option<JsonTimestamp>,
    version: i64,
}

/// The prepared connection.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct PreparedConnectionView {
    id: ConnectionId,
    name: String,
    #[schemars(extend("enum" = ["oidc", "saml"]))]
    kind: &'static str,
    issuer: String,
    enabled: bool,
}

impl SetupLinkView {
    fn from_overview(overview: &SetupLinkOverview, now: Timestamp) -> Self {
        let link = &overview.link;
        Self {
            id: link.id,
            state: match overview.state(now) {
                SetupLinkState::Issued => "issued",
                SetupLinkState::Opened => "opened",
                SetupLinkState::Expired => "expired",
                SetupLinkState::Revoked => "revoked",
                SetupLinkState::Confirmed => "confirmed",
            },
            connection: overview.connection.as_ref().map(|it| PreparedConnectionView {
                id: it.id,
                name: it.settings.name.clone(),
                kind: if it.settings.saml_settings().is_some() { "saml" } else { "oidc" },
                issuer: it.issuer.to_string(),
                enabled: it.is_enabled,
            }),
            domain: link.domain.as_ref().map(ToString::to_string),
            scim: link.scim.is_some(),
            made_by: link.made_by.clone(),
            created_at: JsonTimestamp(link.created_at),
            expires_at: JsonTimestamp(link.expires_at),
            opened_at: link.opened_at.map(JsonTimestamp),
            revoked_at: link.revoked_at.map(JsonTimestamp),
            confirmed_at: link.confirmed_at.map(JsonTimestamp),
            version: link.version,
        }
    }
}

impl ResourceView for SetupLinkView {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(self)
    }
}

/// A new set-up link, whose URL is returned once.
#[derive(Serialize, JsonSchema)]
struct IssuedSetupLinkView {
    id: SetupLinkId,
    /// The URL to send, which is returned only once.
    url: String,
    expires_at: JsonTimestamp,
}

/// A set-up link to issue.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewSetupLinkInput {
    /// When it expires, at most 14 days from now; by default after 7 days.
    #[serde(default)]
    #[schemars(extend("format" = "date-time"))]
    expires_at: Option<String>,
}

impl NewSetupLinkInput {
    fn lifetime(self, now: Timestamp) -> Result<Option<Lifetime>, Refusal> {
        let Some(text) = self.expires_at else { return Ok(None) };
        let mut errors = ValidationErrors::default();
        match errors.parse_text::<TimeParameter>("/expires_at", &text) {
            Some(TimeParameter(at)) if at > now => Ok(Some(at.since(now))),
            Some(_) => {
                errors.add("/expires_at", "must be in the future");
                Err(Refusal::from_validation_errors(errors))
            }
            None => Err(Refusal::from_validation_errors(errors)),
        }
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&SETUP_LINK, &ISSUED_SETUP_LINK, &NEW_SETUP_LINK];

/// The schema of the resource.
pub(crate) const SETUP_LINK: NamedSchema = NamedSchema::response::<SetupLinkView>("SetupLink").with_example(
    r#"{
        "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6079", "state": "opened",
        "connection": {
            "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6078", "name": "Okta", "kind": "oidc",
            "issuer": "https://padaria.okta.com", "enabled": false
        },
        "domain": "padaria.example", "scim": true,
        "made_by": "membership 01936f5e-7c2a-7def-8a1b-2c3d4e5f6073",
        "created_at": "2026-11-15T02:52:03.000042Z", "expires_at": "2026-11-22T02:52:03.000042Z",
        "opened_at": "2026-11-15T06:52:03.000042Z", "revoked_at": null, "confirmed_at": null, "version": 5
    }"#,
);

/// The schema of an issued link.
pub(crate) const ISSUED_SETUP_LINK: NamedSchema =
    NamedSchema::response::<IssuedSetupLinkView>("IssuedSetupLink").with_example(
        r#"{
        "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6079",
        "url": "https://id.example.com/setup-link?token=sn_sl_…",
        "expires_at": "2026-11-22T02:52:03.000042Z"
    }"#,
    );

/// The schema for issuing a link.
pub(crate) const NEW_SETUP_LINK: NamedSchema =
    NamedSchema::request::<NewSetupLinkInput>("IssueSetupLinkRequest")
        .with_example(r#"{"expires_at": "2026-11-22T02:52:03Z"}"#);
