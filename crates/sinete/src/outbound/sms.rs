//! SMS through an HTTP gateway with Twilio's API: a form with `To`, `From` and `Body`.

use crate::config::SmsConfig;
use crate::outbound::limiter::OutboundLimiter;
use reqwest::{Client, StatusCode};
use sinete_core::id::MessageId;
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::time::Lifetime;
use sinete_engine::ports::{Clock, OutboundError, OutgoingSms, SendError, SendFuture, SmsSender};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Maximum response time of the gateway.
const RESPONSE_TIME_MAX: Lifetime = Lifetime::from_seconds(15);

/// An SMS gateway.
pub struct SmsGateway {
    client: Client,
    limiter: OutboundLimiter,
    address: url::Url,
    user: String,
    password: Zeroizing<String>,
    from: String,
}

impl SmsGateway {
    /// Creates the client without connecting.
    pub fn new(sms: &SmsConfig, clock: Arc<dyn Clock>) -> Result<Self, String> {
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(RESPONSE_TIME_MAX.as_duration())
            .user_agent(concat!("sinete/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| format!("the HTTP client cannot be created: {error}"))?;
        let password = Zeroizing::new(sms.login.password.reveal()?);
        let (address, user) = (sms.gateway.clone(), sms.login.user.clone());
        let limiter = OutboundLimiter::new(clock);
        Ok(Self { client, limiter, address, user, password, from: sms.from.clone() })
    }

    async fn post_message(&self, id: MessageId, message: &OutgoingSms) -> Result<(), SendError> {
        // A sender with this prefix is a messaging service, which chooses among its numbers.
        let sender = if self.from.starts_with("MG") { "MessagingServiceSid" } else { "From" };
        let form = [("To", message.to.as_str()), (sender, &self.from), ("Body", &message.text)];
        let request_builder = self
            .client
            .post(self.address.clone())
            .basic_auth(&self.user, Some(self.password.as_str()))
            .header("I-Twilio-Idempotency-Token", id.to_string())
            .form(&form);
        let (purpose, owner) = (OutboundPurpose::SmsGateway, OutboundOwner::Instance);
        let target = OutboundTarget { purpose, owner, url: self.address.as_str() };
        let request_future = async {
            let silent = |error: reqwest::Error| match error.is_timeout() {
                true => OutboundError::no_answer("takes too long"),
                false => OutboundError::no_answer("cannot be reached"),
            };
            Ok(request_builder.send().await.map_err(silent)?.status())
        };
        // The client has its own timeout with a more specific error.
        let status = self
            .limiter
            .run_request(&target, RESPONSE_TIME_MAX.plus(RESPONSE_TIME_MAX), request_future)
            .await;
        check_status(
            status.map_err(|error| SendError::Temporary(format!("the SMS gateway {}", error.reason())))?,
        )
    }
}

/// Maps the status to an outcome. The response text is not logged: it may repeat the number.
fn check_status(status: StatusCode) -> Result<(), SendError> {
    let message = format!("the SMS gateway answered {}", status.as_u16());
    match status.as_u16() {
        200..=299 => Ok(()),
        // Wrong credentials and rate limits can be fixed, and so can errors of the gateway.
        401 | 402 | 403 | 404 | 408 | 429 | 300..=399 | 500..=599 => Err(SendError::Temporary(message)),
        _ => Err(SendError::Permanent(message)),
    }
}

impl SmsSender for SmsGateway {
    fn send<'a>(&'a self, id: MessageId, message: &'a OutgoingSms) -> SendFuture<'a> {
        Box::pin(self.post_message(id, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sms_gateway_errors_are_permanent_only_for_the_message_itself() {
        let judged = |status| check_status(StatusCode::from_u16(status).unwrap());
        assert_eq!((judged(200), judged(201)), (Ok(()), Ok(())));
        for status in [301, 401, 403, 404, 429, 500, 503] {
            assert!(matches!(judged(status), Err(SendError::Temporary(_))), "{status}");
        }
        assert!(matches!(judged(400), Err(SendError::Permanent(_))));
    }
}
