//! Handlers of an account's sessions, lasting access and known devices, for operators.

use crate::management_api::pagination::ResourceView;
use crate::management_api::request::ManagementRequest;
use crate::state::{HttpState, RoutedRequest};
use schemars::JsonSchema;
use serde::Serialize;
use sinete_core::id::SessionId;
use sinete_engine::accounts::management::account_access;
use sinete_engine::accounts::management::account_access::KnownDevice;
use sinete_engine::sign_in::sessions::SessionOverview;
use sinete_server::reply::json::{JsonTimestamp, no_content_response};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_sessions(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let (instance_admin, id) = (management_request.instance_admin(), management_request.path_id("account")?);
    let all = account_access::list_sessions(management_request.engine(), &instance_admin, id).await?;
    paginate(&management_request, all.into_iter().map(AccountSession).collect())
}

pub(crate) async fn end_session(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let (account, session) = (management_request.path_id("account")?, management_request.path_id("session")?);
    account_access::end_session(
        management_request.engine(),
        &management_request.instance_admin(),
        account,
        session,
    )
    .await?;
    Ok(no_content_response())
}

pub(crate) async fn list_access(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let (instance_admin, id) = (management_request.instance_admin(), management_request.path_id("account")?);
    let all = account_access::list_access(management_request.engine(), &instance_admin, id).await?;
    paginate(&management_request, all)
}

pub(crate) async fn list_devices(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let (instance_admin, id) = (management_request.instance_admin(), management_request.path_id("account")?);
    let all = account_access::list_devices(management_request.engine(), &instance_admin, id).await?;
    paginate(&management_request, all)
}

/// Paginates a list that is short enough to be read completely.
fn paginate<T: ResourceView>(management_request: &ManagementRequest, mut all: Vec<T>) -> HandlerResult {
    let page = management_request.page_request(None)?;
    let after = page.after::<String>()?;
    all.sort_by_key(ResourceView::cursor);
    all.retain(|it| after.as_ref().is_none_or(|after| it.cursor() > *after));
    page.to_response(management_request.engine(), all)
}

/// A session of an account.
struct AccountSession(SessionOverview);

#[derive(Serialize, JsonSchema)]
struct AccountSessionView<'a> {
    id: SessionId,
    /// The browser and the system, in English.
    device: &'a str,
    /// The network address of the sign-in.
    #[schemars(with = "Option<String>")]
    address: Option<std::net::IpAddr>,
    place: Option<&'a str>,
    created_at: JsonTimestamp,
    /// When it was last used, to the minute.
    used_at: JsonTimestamp,
    expires_at: JsonTimestamp,
}

impl ResourceView for AccountSession {
    fn cursor(&self) -> String {
        self.0.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        let Self(session) = self;
        Ok(AccountSessionView {
            id: session.id,
            device: &session.description.device,
            address: session.description.address,
            place: session.description.location.as_deref(),
            created_at: JsonTimestamp(session.created_at),
            used_at: JsonTimestamp(session.used_at),
            expires_at: JsonTimestamp(session.expires_at),
        })
    }
}

#[derive(Serialize, JsonSchema)]
struct KnownDeviceView<'a> {
    /// The browser and the system, in English.
    device: &'a str,
    /// The network address of the last sign-in.
    #[schemars(with = "Option<String>")]
    address: Option<std::net::IpAddr>,
    place: Option<&'a str>,
    first_seen_at: JsonTimestamp,
    last_seen_at: JsonTimestamp,
}

impl ResourceView for KnownDevice {
    fn cursor(&self) -> String {
        format!("{:020}:{:020}", self.first_seen_at.micros(), self.last_seen_at.micros())
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(KnownDeviceView {
            device: &self.description.device,
            address: self.description.address,
            place: self.description.location.as_deref(),
            first_seen_at: JsonTimestamp(self.first_seen_at),
            last_seen_at: JsonTimestamp(self.last_seen_at),
        })
    }
}

/// The schema of a session.
pub(crate) const ACCOUNT_SESSION: NamedSchema =
    NamedSchema::response::<AccountSessionView<'_>>("ManagedSession");

/// The schema of a known device.
pub(crate) const KNOWN_DEVICE: NamedSchema = NamedSchema::response::<KnownDeviceView<'_>>("KnownDevice");
