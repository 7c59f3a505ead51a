//! Handlers of linked identities.

use crate::accounts::account_request::{begin_account_request, paginate_list};
use crate::management_api::pagination::ResourceView;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use schemars::JsonSchema;
use serde::Serialize;
use sinete_core::id::ConnectionId;
use sinete_engine::accounts::linked_identities;
use sinete_engine::accounts::linked_identities::{LinkableProvider, LinkedIdentity};
use sinete_server::reply::json::{JsonTimestamp, no_content_response};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_linked_identities(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let all = linked_identities::list(management_request.engine(), &management_request.caller).await?;
    paginate_list(&management_request, all)
}

pub(crate) async fn list_linkable_providers(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let all =
        linked_identities::list_linkable(management_request.engine(), &management_request.caller).await?;
    paginate_list(&management_request, all)
}

pub(crate) async fn unlink_identity(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    linked_identities::unlink(
        management_request.engine(),
        &management_request.caller,
        management_request.path_param("identity"),
    )
    .await?;
    Ok(no_content_response())
}

#[derive(Serialize, JsonSchema)]
struct LinkedIdentityView<'a> {
    id: &'a str,
    /// The issuer of the identity provider.
    issuer: &'a str,
    /// The subject of the user at the provider.
    subject: &'a str,
    /// Whether it can be used to sign in now.
    works: bool,
    created_at: JsonTimestamp,
}

impl ResourceView for LinkedIdentity {
    fn cursor(&self) -> String {
        self.id.clone()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(LinkedIdentityView {
            id: &self.id,
            issuer: &self.issuer,
            subject: &self.subject,
            works: self.is_usable,
            created_at: JsonTimestamp(self.created_at),
        })
    }
}

#[derive(Serialize, JsonSchema)]
struct LinkableProviderView<'a> {
    /// The connection id to send to a flow of the kind `link_identity`.
    #[schemars(with = "ConnectionId")]
    connection: String,
    name: &'a str,
    issuer: &'a str,
    /// The name of the organization that the provider belongs to.
    organization: &'a str,
}

impl ResourceView for LinkableProvider {
    fn cursor(&self) -> String {
        self.connection.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(LinkableProviderView {
            connection: self.connection.id.to_string(),
            name: &self.connection.settings.name,
            issuer: self.connection.issuer.as_str(),
            organization: &self.organization,
        })
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&IDENTITY, &LINKABLE_PROVIDER];

/// The schema of a linked identity.
pub(crate) const IDENTITY: NamedSchema = NamedSchema::response::<LinkedIdentityView<'_>>("Identity");

/// The schema of a linkable identity provider.
pub(crate) const LINKABLE_PROVIDER: NamedSchema =
    NamedSchema::response::<LinkableProviderView<'_>>("LinkableProvider");
