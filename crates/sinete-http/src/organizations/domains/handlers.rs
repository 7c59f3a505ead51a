//! Handlers of domains.

use crate::management_api::idempotent_create::CreatedResource;
use crate::management_api::pagination::ResourceView;
use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinete_core::organizations::domains::OrganizationDomain;
use sinete_engine::organizations::domains;
use sinete_engine::organizations::domains::DomainRow;
use sinete_server::reply::json::{JsonTimestamp, json_response, no_content_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_domains(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let page = management_request.page_request(Some(access.organization.id))?;
    let after = page.after::<OrganizationDomain>()?;
    let read =
        domains::list(management_request.engine(), &access, after.as_ref(), page.fetch_limit()).await?;
    page.to_response(management_request.engine(), read)
}

pub(crate) async fn add_domain(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let input = management_request.parse_body::<NewDomainInput>()?;
    management_request
        .create_once(
            async |claim| {
                domains::add(management_request.engine(), &access.with_claim(claim), &input.domain).await
            },
            |domain: DomainRow| {
                CreatedResource::new(&domain.to_view()?, management_request.child_location(&domain.name))
            },
        )
        .await
}

pub(crate) async fn show_domain(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let name = management_request.parse_path_param::<OrganizationDomain>("domain")?;
    domain_response(&domains::show(management_request.engine(), &access, &name).await?)
}

pub(crate) async fn verify_domain(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let name = management_request.parse_path_param::<OrganizationDomain>("domain")?;
    domain_response(&domains::verify(management_request.engine(), &access, &name).await?)
}

pub(crate) async fn remove_domain(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let name = management_request.parse_path_param::<OrganizationDomain>("domain")?;
    domains::remove(management_request.engine(), &access, &name).await?;
    Ok(no_content_response())
}

fn domain_response(domain: &DomainRow) -> Result<Response, HandlerError> {
    Ok(json_response(StatusCode::OK, serialize_json(&domain.to_view()?)?))
}

/// A domain to add.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewDomainInput {
    /// The domain, in Unicode or as A-labels. Public suffixes and domains of public e-mail providers are
    /// refused.
    #[schemars(length(min = 1, max = 253))]
    domain: String,
}

/// A domain, as returned.
#[derive(Serialize, JsonSchema)]
struct DomainView<'a> {
    /// The domain as A-labels, which is also its id.
    domain: &'a str,
    /// The domain in Unicode.
    name: String,
    /// `missing`: the domain is verified, but its record was not found. It loses its verification unless the
    /// record is published again.
    #[schemars(extend("enum" = ["waiting", "verified", "missing"]))]
    state: &'static str,
    /// The DNS record to publish and to keep.
    record: DnsRecordView<'a>,
    verified_at: Option<JsonTimestamp>,
    /// When the record was last found.
    confirmed_at: Option<JsonTimestamp>,
    missing_since: Option<JsonTimestamp>,
    created_at: JsonTimestamp,
}

/// The TXT record to publish.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct DnsRecordView<'a> {
    name: String,
    #[schemars(extend("enum" = ["TXT"]))]
    #[serde(rename = "type")]
    kind: &'static str,
    value: &'a str,
}

impl ResourceView for DomainRow {
    fn cursor(&self) -> String {
        self.name.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        let state = match (self.verified_at, self.missing_since) {
            (None, _) => "waiting",
            (Some(_), None) => "verified",
            (Some(_), Some(_)) => "missing",
        };
        Ok(DomainView {
            domain: self.name.as_str(),
            name: self.name.to_unicode(),
            state,
            record: DnsRecordView { name: self.name.record_name(), kind: "TXT", value: &self.proof },
            verified_at: self.verified_at.map(JsonTimestamp),
            confirmed_at: self.confirmed_at.map(JsonTimestamp),
            missing_since: self.missing_since.map(JsonTimestamp),
            created_at: JsonTimestamp(self.created_at),
        })
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&NEW_DOMAIN, &DOMAIN];

/// The schema for adding a domain.
pub(crate) const NEW_DOMAIN: NamedSchema = NamedSchema::request::<NewDomainInput>("CreateDomainRequest")
    .with_example(r#"{"domain": "acme.example"}"#);

/// The schema of the resource.
pub(crate) const DOMAIN: NamedSchema = NamedSchema::response::<DomainView<'_>>("Domain");
