//! Handlers of the security log, for operators: in pages, and as an event stream.

use crate::management_api::pagination::ResourceView;
use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use sinete_core::access_control::built_in_permissions::READ_INSTANCE;
use sinete_core::events::security_event::RequestOrigin;
use sinete_core::id::{EventId, OrganizationId, RequestId};
use sinete_core::limits::RETRY_AFTER;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::events::EventRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::access_control::instance_admin::InstanceAdmin;
use sinete_engine::events::event_stream;
use sinete_engine::events::event_stream::{EventCursor, EventFilter, EventOrder, SecurityLogEntry};
use sinete_engine::events::webhooks::payload::WebhookEvent;
use sinete_engine::oauth::caller_authentication;
use sinete_engine::oauth::mtls::ClientCertificate;
use sinete_engine::oauth::presented_credential::{CredentialScheme, PresentedCredential};
use sinete_server::extract::bearer;
use sinete_server::extract::time_parameter::TimeParameter;
use sinete_server::reply::json::{JsonTimestamp, json_response, serialize_json};
use sinete_server::reply::stream::{self, StreamSender};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::route::QueryParameter;
use sinete_server::schema::NamedSchema;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// How often new events and the caller's permission are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// The number of checks without events after which a keep-alive comment is sent.
const IDLE_POLLS_MAX: u32 = 30;
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

pub(crate) async fn list_events(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let page = management_request.page_request(None)?;
    let filter = EventFilter {
        since: management_request.parse_query_param::<TimeParameter>("since")?.map(|TimeParameter(at)| at),
        until: management_request.parse_query_param::<TimeParameter>("until")?.map(|TimeParameter(at)| at),
        organization: management_request.parse_query_param("organization")?,
        account: management_request.parse_query_param("account")?,
        kind: management_request.parse_query_param("kind")?,
        address: address_param(&management_request)?,
        order: match management_request.query_param("order") {
            None | Some("oldest") => EventOrder::Oldest,
            Some("newest") => EventOrder::Newest,
            Some(_) => {
                let text = "`order` must be `oldest` or `newest`";
                return Err(Refusal::because(RequestRefusal::ParameterInvalid(text), "").into());
            }
        },
    };
    let (instance_admin, after) = (management_request.instance_admin(), page.after()?);
    let read =
        event_stream::list(management_request.engine(), &instance_admin, &filter, after, page.fetch_limit())
            .await?;
    page.to_response(management_request.engine(), read.into_iter().map(LoggedEvent).collect())
}

/// The filter by network address.
pub(crate) fn address_param(management_request: &ManagementRequest) -> Result<Option<String>, HandlerError> {
    let address = management_request.parse_query_param::<std::net::IpAddr>("address")?;
    // An address is stored as it is written here, whatever the spelling in the query.
    Ok(address.map(|address| address.to_canonical().to_string()))
}

/// The parameter of the filter by network address.
pub(crate) const ADDRESS_PARAMETER: QueryParameter = QueryParameter {
    name: "address",
    description: "Only events of requests from this network address (IPv4 or IPv6), without those that are written with \
                  every token.",
    is_required: false,
    schema: || json!({"type": "string", "minLength": 2, "maxLength": 45}),
};

pub(crate) async fn show_event(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let entry = event_stream::show(
        management_request.engine(),
        &management_request.instance_admin(),
        management_request.path_id("event")?,
    )
    .await?;
    Ok(json_response(StatusCode::OK, serialize_json(&LoggedEvent(entry).to_view()?)?))
}

pub(crate) async fn stream_events(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let bearer_credential = bearer::extract_credential(request.headers(), &request.query_params()?)?;
    let (text, scheme) = (bearer_credential.text.to_owned(), bearer_credential.scheme);
    let (origin, certificate) = (request.origin(), request.context().certificate().cloned());
    let management_request = ManagementRequest::authenticate(state.clone(), request).await?;
    let last = match management_request.header(&LAST_EVENT_ID).map(str::parse::<EventId>) {
        None => None,
        Some(Ok(last)) => Some(last),
        Some(Err(_)) => {
            return Err(Refusal::because(RequestRefusal::LastEventIdUnknown, "a malformed id").into());
        }
    };
    let following =
        EventCursor::start(management_request.engine(), &management_request.instance_admin(), last).await?;
    let Ok(semaphore_permit) = state.event_stream_slots().try_acquire_owned() else {
        let refusal = Refusal::because(EventRefusal::StreamLimit, "all event streams are in use");
        return Err(refusal.with_retry_after(RETRY_AFTER).into());
    };
    let (mut response, pieces) = stream::streaming_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    let listener = EventStreamListener {
        state,
        credential: text,
        scheme,
        certificate,
        origin,
        cursor: following,
        sender: pieces,
        _slot: semaphore_permit,
    };
    tokio::spawn(listener.send_events());
    Ok(response)
}

/// A listener of the event stream.
struct EventStreamListener {
    state: HttpState,
    credential: String,
    scheme: bearer::BearerScheme,
    certificate: Option<Arc<ClientCertificate>>,
    origin: RequestOrigin,
    cursor: EventCursor,
    sender: StreamSender,
    _slot: OwnedSemaphorePermit,
}

impl EventStreamListener {
    /// Sends events until the client disconnects, its permission ends, or this node stops. A reconnecting
    /// client sends the id of its last event.
    async fn send_events(mut self) {
        let mut quiet = IDLE_POLLS_MAX;
        while !self.state.is_draining() {
            let Some(instance_admin) = self.is_still_authorized().await else { return };
            let Ok(events) = self.cursor.next_events(self.state.engine(), &instance_admin).await else {
                return;
            };
            let mut text = String::new();
            for event in &events {
                let Ok(data) = WebhookEvent::from_event(event).and_then(|event| event.to_json()) else {
                    return;
                };
                let data = String::from_utf8_lossy(&data);
                let _ = write!(text, "id: {}\nevent: {}\ndata: {data}\n\n", event.id, event.kind);
            }
            quiet += 1;
            if text.is_empty() && quiet >= IDLE_POLLS_MAX {
                ":\n\n".clone_into(&mut text);
            }
            if !text.is_empty() {
                quiet = 0;
                if self.sender.send_chunk(text).await.is_err() {
                    return;
                }
            }
            if events.is_empty() {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        }
    }

    /// Checks that the caller may still receive events.
    async fn is_still_authorized(&self) -> Option<InstanceAdmin> {
        let scheme = match self.scheme {
            bearer::BearerScheme::Bearer => CredentialScheme::Bearer,
            bearer::BearerScheme::Dpop => CredentialScheme::DpopVerified,
        };
        let credential =
            PresentedCredential { text: &self.credential, certificate: self.certificate.as_deref(), scheme };
        let engine = self.state.engine();
        let Ok(caller) =
            caller_authentication::authenticate_caller(engine, credential, self.origin.clone()).await
        else {
            return None;
        };
        caller.require_instance_permission(READ_INSTANCE).is_ok().then(|| InstanceAdmin::new(engine, &caller))
    }
}

/// An event, as returned.
#[derive(Serialize, JsonSchema)]
struct InstanceEventView<'a> {
    id: EventId,
    at: JsonTimestamp,
    /// The event type.
    kind: &'a str,
    actor: EventReferenceView<'a>,
    subject: Option<EventReferenceView<'a>>,
    organization: Option<OrganizationId>,
    /// The client that was used.
    client: Option<&'a str>,
    #[schemars(with = "Option<RequestId>")]
    request: Option<String>,
    /// The network address of the request, unless it was erased.
    address: Option<&'a str>,
    user_agent: Option<&'a str>,
    /// The details of the event.
    detail: Map<String, Value>,
}

/// The actor or the subject of an event.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct EventReferenceView<'a> {
    kind: &'a str,
    id: Option<&'a str>,
}

/// An event, as returned to operators.
struct LoggedEvent(SecurityLogEntry);

impl ResourceView for LoggedEvent {
    fn cursor(&self) -> String {
        self.0.event.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        let (event, personal) = (&self.0.event, self.0.personal.as_ref());
        let detail = serde_json::from_str(&event.detail).map_err(|_| sinete_engine::Failure::Interrupted)?;
        Ok(InstanceEventView {
            id: event.id,
            at: JsonTimestamp(event.at),
            kind: &event.kind,
            actor: EventReferenceView { kind: &event.actor_kind, id: event.actor_id.as_deref() },
            subject: event
                .subject_kind
                .as_deref()
                .map(|kind| EventReferenceView { kind, id: event.subject_id.as_deref() }),
            organization: event.organization,
            client: event.client.as_deref(),
            request: event.request.map(|id| id.to_string()),
            address: personal.and_then(|personal| personal.address.as_deref()),
            user_agent: personal.and_then(|personal| personal.user_agent.as_deref()),
            detail,
        })
    }
}

/// The query of the list.
pub(crate) const QUERY: &[QueryParameter] = &[
    QueryParameter {
        name: "since",
        description: "Only events at this time or later.",
        is_required: false,
        schema: || json!({"type": "string", "format": "date-time"}),
    },
    QueryParameter {
        name: "until",
        description: "Only events before this time, the newest first.",
        is_required: false,
        schema: || json!({"type": "string", "format": "date-time"}),
    },
    ADDRESS_PARAMETER,
    QueryParameter {
        name: "organization",
        description: "Only events of the organization with this id.",
        is_required: false,
        schema: || json!({"type": "string", "format": "uuid"}),
    },
    QueryParameter {
        name: "account",
        description: "Only events with the account of this id as actor or subject, the newest first.",
        is_required: false,
        schema: || json!({"type": "string", "format": "uuid"}),
    },
    QueryParameter {
        name: "kind",
        description: "Only events of this kind, the newest first.",
        is_required: false,
        schema: || json!({"type": "string", "minLength": 3, "maxLength": 64}),
    },
    QueryParameter {
        name: "order",
        description: "Whether the oldest or the newest events come first.",
        is_required: false,
        schema: || json!({"type": "string", "enum": ["oldest", "newest"], "default": "oldest"}),
    },
];

/// The media type of the event stream.
pub(crate) const STREAM: &str = "text/event-stream";

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&EVENT];

/// The schema of the resource.
pub(crate) const EVENT: NamedSchema = NamedSchema::response::<InstanceEventView<'_>>("Event");
