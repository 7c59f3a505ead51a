//! Handlers of access that outlives sessions.

use crate::accounts::account_request::{begin_account_request, paginate_list};
use crate::management_api::pagination::ResourceView;
use crate::sign_in::long_lived_access::LongLivedAccessView;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinete_engine::sign_in::long_lived_access;
use sinete_engine::sign_in::long_lived_access::LongLivedAccess;
use sinete_engine::sign_in::sessions;
use sinete_server::reply::json::no_content_response;
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_long_lived_access(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let all =
        long_lived_access::list(management_request.engine(), management_request.caller.account()).await?;
    paginate_list(&management_request, all)
}

pub(crate) async fn sign_out_everywhere(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let SignOutBody { keep } = management_request.parse_body()?;
    let (account_holder, engine) = (&management_request.caller, management_request.engine());
    let current_session = account_holder.signed_in.session.id;
    sessions::sign_out_elsewhere(
        engine,
        account_holder.account(),
        current_session,
        &keep,
        &account_holder.cause,
    )
    .await?;
    Ok(no_content_response())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SignOutBody {
    /// The ids of the access in `GET /account/access` to keep.
    #[schemars(length(max = 100), inner(length(min = 1, max = 300)))]
    keep: Vec<String>,
}

impl ResourceView for LongLivedAccess {
    fn cursor(&self) -> String {
        self.id.clone()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(LongLivedAccessView::from(self.clone()))
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&ACCESS, &SIGN_OUT];

/// The schema of the resource.
pub(crate) const ACCESS: NamedSchema = NamedSchema::response::<LongLivedAccessView>("LongLivedAccess");

/// The schema of the sign-out request.
pub(crate) const SIGN_OUT: NamedSchema = NamedSchema::request::<SignOutBody>("SignOutEverywhere");
