//! Handlers of the account's contacts.

use crate::accounts::account_request::{begin_account_request, paginate_list};
use crate::management_api::pagination::ResourceView;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinete_core::id::ContactId;
use sinete_core::limits::EMAIL_BYTES_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;
use sinete_engine::accounts::contacts;
use sinete_engine::accounts::contacts::{ContactKind, ContactRequest, ContactRow};
use sinete_server::reply::json::{
    JsonTimestamp, json_response, no_content_response, serialize_json, with_location,
};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_contacts(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let all = contacts::list(management_request.engine(), &management_request.caller).await?;
    paginate_list(&management_request, all)
}

pub(crate) async fn add_contact(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let contact_request = management_request.parse_body::<NewContactInput>()?.to_contact_request()?;
    let contact =
        contacts::add(management_request.engine(), &management_request.caller, &contact_request).await?;
    let response = json_response(StatusCode::CREATED, serialize_json(&contact.to_view()?)?);
    Ok(with_location(response, &management_request.child_location(contact.id)))
}

pub(crate) async fn make_contact_primary(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let contact = contacts::make_primary(
        management_request.engine(),
        &management_request.caller,
        management_request.path_id("contact")?,
    )
    .await?;
    Ok(json_response(StatusCode::OK, serialize_json(&contact.to_view()?)?))
}

pub(crate) async fn remove_contact(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    contacts::remove(
        management_request.engine(),
        &management_request.caller,
        management_request.path_id("contact")?,
    )
    .await?;
    Ok(no_content_response())
}

/// A contact, as returned.
#[derive(Serialize, JsonSchema)]
struct OwnContactView<'a> {
    id: ContactId,
    #[schemars(extend("enum" = ["email", "phone"]))]
    kind: &'static str,
    /// The address or number, as entered.
    address: &'a str,
    /// Whether it is the primary contact of its kind, to which messages are sent.
    is_primary: bool,
    /// When the user verified it.
    verified_at: Option<JsonTimestamp>,
}

impl ResourceView for ContactRow {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(OwnContactView {
            id: self.id,
            kind: contact_kind(self.kind),
            address: &self.address,
            is_primary: self.is_primary,
            verified_at: self.verified_at.map(JsonTimestamp),
        })
    }
}

const fn contact_kind(kind: ContactKind) -> &'static str {
    match kind {
        ContactKind::Email => "email",
        ContactKind::Phone => "phone",
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewContactInput {
    #[schemars(extend("enum" = ["email", "phone"]))]
    kind: String,
    #[schemars(length(min = 3, max = EMAIL_BYTES_MAX))]
    address: String,
}

impl NewContactInput {
    fn to_contact_request(&self) -> Result<ContactRequest, HandlerError> {
        let mut errors = ValidationErrors::default();
        let request = match self.kind.as_str() {
            "email" => errors.parse_text("/address", &self.address).map(ContactRequest::Email),
            _ => errors.parse_text("/address", &self.address).map(ContactRequest::Phone),
        };
        request.ok_or_else(|| Refusal::from_validation_errors(errors).into())
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&CONTACT, &NEW_CONTACT];

/// The schema of the resource.
pub(crate) const CONTACT: NamedSchema = NamedSchema::response::<OwnContactView<'_>>("Contact").with_example(
    r#"{
        "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6079", "kind": "email", "address": "ana@example.com",
        "is_primary": true, "verified_at": "2026-11-15T02:52:03.000042Z"
    }"#,
);

/// The schema for adding a contact.
pub(crate) const NEW_CONTACT: NamedSchema = NamedSchema::request::<NewContactInput>("CreateContactRequest")
    .with_example(r#"{"kind": "email", "address": "ana@example.com"}"#);
