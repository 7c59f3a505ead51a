//! Message deliveries, for operators, without recipients and contents.

use crate::management_api::pagination::ResourceView;
use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use sinete_core::id::MessageId;
use sinete_core::time::Timestamp;
use sinete_engine::administration::messages;
use sinete_engine::platform::outbox;
use sinete_engine::platform::outbox::MessageDelivery;
use sinete_server::reply::json::{JsonTimestamp, json_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_deliveries(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let page = management_request.page_request(None)?;
    let (instance_admin, now) = (management_request.instance_admin(), management_request.engine().now());
    let read = messages::list_deliveries(
        management_request.engine(),
        &instance_admin,
        page.after()?,
        page.fetch_limit(),
    )
    .await?;
    page.to_response(
        management_request.engine(),
        read.into_iter().map(|delivery| ObservedDelivery { delivery, now }).collect(),
    )
}

pub(crate) async fn show_delivery(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let id = management_request.path_id("message")?;
    let delivery =
        messages::find_delivery(management_request.engine(), &management_request.instance_admin(), id)
            .await?;
    let observed_delivery = ObservedDelivery { delivery, now: management_request.engine().now() };
    Ok(json_response(StatusCode::OK, serialize_json(&observed_delivery.to_view()?)?))
}

pub(crate) async fn resend_message(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let id = management_request.path_id("message")?;
    let delivery =
        messages::resend(management_request.engine(), &management_request.instance_admin(), id).await?;
    let observed_delivery = ObservedDelivery { delivery, now: management_request.engine().now() };
    Ok(json_response(StatusCode::OK, serialize_json(&observed_delivery.to_view()?)?))
}

/// A delivery at a point in time.
struct ObservedDelivery {
    delivery: MessageDelivery,
    now: Timestamp,
}

/// A delivery, as returned.
#[derive(Serialize, JsonSchema)]
struct MessageView<'a> {
    /// The id, which is also the beginning of the `Message-ID` of an e-mail at every attempt.
    id: MessageId,
    #[schemars(extend("enum" = ["mail", "sms"]))]
    channel: &'static str,
    /// The purpose of the message.
    kind: &'a str,
    /// `sent`: the mail server or the SMS gateway accepted it.
    #[schemars(extend("enum" = ["waiting", "sent", "given_up", "expired"]))]
    state: &'static str,
    #[schemars(range(min = 0))]
    attempts: i64,
    /// The error of the last failed attempt.
    last_problem: Option<&'a str>,
    created_at: JsonTimestamp,
    /// When it expires. After that it is not sent, and later it is deleted.
    expires_at: JsonTimestamp,
    next_attempt_at: Option<JsonTimestamp>,
    sent_at: Option<JsonTimestamp>,
    given_up_at: Option<JsonTimestamp>,
}

impl ResourceView for ObservedDelivery {
    fn cursor(&self) -> String {
        self.delivery.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        let Self { delivery, now } = self;
        let state = outbox::MessageState::from_delivery(delivery, *now);
        Ok(MessageView {
            id: delivery.id,
            channel: delivery.channel.as_str(),
            kind: &delivery.kind,
            state: state.as_str(),
            attempts: delivery.attempts,
            last_problem: delivery.last_problem.as_deref(),
            created_at: JsonTimestamp(delivery.created_at),
            expires_at: JsonTimestamp(delivery.expires_at),
            next_attempt_at: (state == outbox::MessageState::Pending)
                .then_some(JsonTimestamp(delivery.next_attempt_at)),
            sent_at: delivery.sent_at.map(JsonTimestamp),
            given_up_at: delivery.failed_at.map(JsonTimestamp),
        })
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&MESSAGE];

pub(crate) const MESSAGE: NamedSchema = NamedSchema::response::<MessageView<'_>>("Message");
