//! Handlers of the account's sessions.

use crate::accounts::account_request::{begin_account_request, paginate_list};
use crate::management_api::pagination::ResourceView;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use schemars::JsonSchema;
use serde::Serialize;
use sinete_core::id::SessionId;
use sinete_engine::sign_in::sessions;
use sinete_engine::sign_in::sessions::SessionOverview;
use sinete_server::reply::json::{JsonTimestamp, no_content_response};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_sessions(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let current = management_request.caller.signed_in.session.id;
    let all = sessions::list(management_request.engine(), management_request.caller.account()).await?;
    let all = all
        .into_iter()
        .map(|overview| OwnSession { is_current: overview.id == current, session: overview })
        .collect();
    paginate_list(&management_request, all)
}

pub(crate) async fn end_session(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let (account_holder, id) = (&management_request.caller, management_request.path_id("session")?);
    sessions::end(management_request.engine(), account_holder.account(), id, &account_holder.cause).await?;
    Ok(no_content_response())
}

pub(crate) async fn end_other_sessions(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let account_holder = &management_request.caller;
    let current_session = account_holder.signed_in.session.id;
    sessions::sign_out_elsewhere(
        management_request.engine(),
        account_holder.account(),
        current_session,
        &[],
        &account_holder.cause,
    )
    .await?;
    Ok(no_content_response())
}

/// A session, as returned to the user.
pub(crate) struct OwnSession {
    pub(crate) session: SessionOverview,
    pub(crate) is_current: bool,
}

#[derive(Serialize, JsonSchema)]
struct SessionView<'a> {
    id: SessionId,
    /// Whether it is the session of this request.
    is_current: bool,
    /// The browser and the system, in English.
    device: &'a str,
    #[schemars(with = "Option<String>")]
    address: Option<std::net::IpAddr>,
    place: Option<&'a str>,
    created_at: JsonTimestamp,
    /// When it was last used, to the minute.
    used_at: JsonTimestamp,
    expires_at: JsonTimestamp,
}

impl ResourceView for OwnSession {
    fn cursor(&self) -> String {
        self.session.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        let overview = &self.session;
        Ok(SessionView {
            id: overview.id,
            is_current: self.is_current,
            device: &overview.description.device,
            address: overview.description.address,
            place: overview.description.location.as_deref(),
            created_at: JsonTimestamp(overview.created_at),
            used_at: JsonTimestamp(overview.used_at),
            expires_at: JsonTimestamp(overview.expires_at),
        })
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&SESSION];

/// The schema of the resource.
pub(crate) const SESSION: NamedSchema = NamedSchema::response::<SessionView<'_>>("Session");
