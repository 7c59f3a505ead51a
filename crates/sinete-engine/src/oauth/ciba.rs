//! CIBA (OpenID Client-Initiated Backchannel Authentication): the client receives an `auth_req_id`, and the
//! user is notified. A request for an unknown user looks the same and is never answered.

pub mod notifications;
pub mod organization_requests;
pub mod pending_approvals;
mod user_hint;

use crate::oauth::authorize::deferred::StoredDeferredRequest;
use crate::oauth::authorize::{ActiveClient, AuthorizationError, check_client_request};
use crate::oauth::client_authentication::AuthenticatedClient;
use crate::oauth::client_keys;
use crate::oauth::par::authorization_refusal;
use crate::platform::email::{EmailKind, EmailMessage, EmailedLinkOrCode, LinkOrCodeKind, SignInDetails};
use crate::platform::outbox;
use crate::sign_in::flows;
use crate::sign_in::flows::InteractionTarget;
use crate::sign_in::sign_in_alerts;
use crate::{ATTEMPTS_MAX, Engine, Error, EventCause, Failure};
use sinete_core::access_control::scope::IdentityScope;
use sinete_core::accounts::language::Language;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{AccountId, ApprovalRequestId};
use sinete_core::limits::CIBA_POLL_INTERVAL;
use sinete_core::oauth::authorize::cross_device::check_cross_device_risk;
use sinete_core::oauth::authorize::pending_authorization::{AuthorizationChannel, PendingAuthorization};
use sinete_core::oauth::authorize::raw_params::RawAuthorizationParams;
use sinete_core::oauth::authorize::response::{AuthorizationErrorCode, AuthorizationRefusal};
use sinete_core::oauth::ciba::{CibaAuthenticationRequest, CibaRequestError, CibaUserHint};
use sinete_core::oauth::client_metadata::GrantType;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::secret::{BackchannelRequest, Digest, Secret};
use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::oauth::request_object::{RequestObjectExpectations, verify_signed_ciba_request};
use sinete_store::oauth::assertion_replays;
use sinete_store::oauth::assertion_replays::AssertionJti;
use sinete_store::oauth::ciba_requests;
use sinete_store::oauth::ciba_requests::NewCibaRequest;
use sinete_store::{GuardedStatement, JsonDocument, WriteBatch};
use std::borrow::Cow;
use user_hint::ResolvedCibaUser;

/// The path of the approval page, below the issuer.
pub const APPROVE_PATH: &str = "/approve";

/// The response to a CIBA request.
pub struct CibaAcknowledgement {
    /// The `auth_req_id`.
    pub request: Secret<BackchannelRequest>,
    /// The lifetime.
    pub lifetime: Lifetime,
    /// The polling interval.
    pub interval: Lifetime,
}

/// Starts a CIBA request, if everything that does not depend on the user is valid.
pub async fn start_ciba_request(
    engine: &Engine,
    client: &AuthenticatedClient,
    parameters: RawAuthorizationParams,
    cause: &EventCause,
) -> Result<CibaAcknowledgement, Error> {
    let requesting_client = ActiveClient::from_client(client.client.clone());
    let ParsedCibaRequest { parameters, replay_guard: once } =
        parse_request(engine, &requesting_client, parameters).await?;
    let mode = requesting_client.client.metadata.backchannel_token_delivery_mode.unwrap_or_default();
    let approval = match CibaAuthenticationRequest::parse(&parameters, mode) {
        Ok(approval) => approval,
        Err(CibaRequestError::InvalidParameters(wrong)) => return Err(authorization_refusal(wrong).into()),
        Err(CibaRequestError::BindingMessage(text)) => {
            return Err(Refusal::because(OAuthRefusal::BindingMessageInvalid(text), "").into());
        }
    };
    let requested_scopes =
        check_client_request(engine, &requesting_client, &approval.params, GrantType::Ciba).await?;
    if !requested_scopes.scopes.contains(IdentityScope::OpenId) {
        // OpenID CIBA §7.1.
        return Err(authorization_refusal((
            AuthorizationErrorCode::InvalidScope,
            "The scope does not contain openid. Add it.".into(),
        ))
        .into());
    }
    let target = requested_scopes.audience.as_ref().map(|audience| audience.target());
    check_cross_device_risk(
        requesting_client.trust,
        &requested_scopes.scopes,
        &approval.params.details,
        target,
    )
    .map_err(authorization_refusal)?;
    let ciba_user = user_hint::resolve_user_hint(engine, &requesting_client, &approval).await?;
    // The scope is fixed now, so that later changes of the default do not affect it.
    let params = parameters.with_default("scope", &requested_scopes.scopes.to_string());
    let params = match ciba_user.organization {
        Some(organization) => params.with_default("organization", &organization.to_string()),
        None => params,
    };
    let context = CibaRequestContext {
        client,
        requesting_client: &requesting_client,
        request: &approval,
        user: &ciba_user,
        replay_guard: once,
    };
    context.store_request(engine, &params, cause).await
}

/// A parsed CIBA request.
struct ParsedCibaRequest {
    parameters: RawAuthorizationParams,
    /// The digest and expiry of its `jti`, if it was signed.
    replay_guard: Option<(Digest<AssertionJti>, Timestamp)>,
}

/// The error for an invalid or replayed signed request. OpenID CIBA §13 defines none of its own.
const INVALID_REQUEST_OBJECT: AuthorizationRefusal = (
    AuthorizationErrorCode::InvalidRequest,
    Cow::Borrowed(
        "The request object is not valid: its signature, \
        issuer, audience or lifetime is wrong. Sign it with a registered key, iss as the client_id and aud \
        as the issuer.",
    ),
);

/// The parameters, plain or from the signed request. A client that registered a signing algorithm must sign
/// all requests, and other parameters are ignored then.
async fn parse_request(
    engine: &Engine,
    client: &ActiveClient,
    parameters: RawAuthorizationParams,
) -> Result<ParsedCibaRequest, AuthorizationError> {
    /// Parameters of client authentication and the signed request itself.
    const CLIENT_AUTH_AND_REQUEST_PARAMS: [&str; 5] =
        ["client_id", "client_secret", "client_assertion", "client_assertion_type", "request"];
    let cached_client = &client.client;
    let registered = cached_client.metadata.backchannel_authentication_request_signing_alg;
    if parameters.get("request_uri").is_some() {
        return Err((
            AuthorizationErrorCode::InvalidRequest,
            "The parameter request_uri is not supported here. \
            Send the parameters themselves, or request.",
        )
            .into());
    }
    let Some(object) = parameters.get("request") else {
        let signs = (
            AuthorizationErrorCode::InvalidRequest,
            "The client is registered for signed requests. \
            Send a request object in the parameter request.",
        );
        return if registered.is_some() {
            Err(signs.into())
        } else {
            Ok(ParsedCibaRequest { parameters, replay_guard: None })
        };
    };
    if parameters.iter().any(|(name, _)| !CLIENT_AUTH_AND_REQUEST_PARAMS.contains(&name)) {
        let text = "The request has parameters beside the signed request. Send only client authentication \
                    beside it.";
        return Err((AuthorizationErrorCode::InvalidRequest, text).into());
    }
    let Some(keys) = client_keys::find_signing_keys(engine, cached_client, object).await? else {
        return Err(INVALID_REQUEST_OBJECT.into());
    };
    let expected = RequestObjectExpectations {
        client: cached_client.client.id.as_str(),
        issuer: &engine.settings().issuer,
        profile: cached_client.metadata.security_profile,
        algorithm: registered,
        now: engine.now(),
    };
    let Ok(complete) = verify_signed_ciba_request(object, &keys, &expected) else {
        return Err(INVALID_REQUEST_OBJECT.into());
    };
    // A client may use the same `jti` for an assertion and a request.
    let digest = Digest::from_parts(&[b"signed request", complete.id.as_bytes()]);
    let once = Some((digest, complete.replay_expires_at));
    Ok(ParsedCibaRequest { parameters: RawAuthorizationParams::new(complete.parameters), replay_guard: once })
}

/// A CIBA request with its client.
struct CibaRequestContext<'a> {
    client: &'a AuthenticatedClient,
    requesting_client: &'a ActiveClient,
    request: &'a CibaAuthenticationRequest,
    user: &'a ResolvedCibaUser,
    replay_guard: Option<(Digest<AssertionJti>, Timestamp)>,
}

impl CibaRequestContext<'_> {
    /// Stores the request and notifies the user, unless a limit is reached. Concurrent requests are counted.
    async fn store_request(
        &self,
        engine: &Engine,
        parameters: &RawAuthorizationParams,
        cause: &EventCause,
    ) -> Result<CibaAcknowledgement, Error> {
        let (client, cause) = (self.client.id(), self.client.event_cause(cause));
        let from = DeviceDescription {
            location: sign_in_alerts::locate_origin(engine, &cause),
            ..DeviceDescription::from_origin(&cause.origin)
        };
        for _ in 0..ATTEMPTS_MAX {
            let now = engine.now();
            if let Some((id, _)) = &self.replay_guard
                && assertion_replays::is_recorded(engine.store(), client, id).await?
            {
                return Err(authorization_refusal(INVALID_REQUEST_OBJECT).into());
            }
            let statements = self.user.count_request(engine, client).await?;
            let (secret, id) = (
                Secret::<BackchannelRequest>::mint(engine.entropy()),
                ApprovalRequestId::mint(now, engine.entropy()),
            );
            let digest = secret.digest();
            let pending = PendingAuthorization::new(
                client.clone(),
                &without_hints(parameters),
                AuthorizationChannel::Backchannel(*digest.as_bytes()),
            );
            let deferred_request = StoredDeferredRequest {
                authorization: pending,
                from: from.clone(),
                message: self.request.message.clone(),
            };
            let revealed = secret.reveal();
            let token = self.request.notification_token.as_ref();
            let notice = token
                .map(|token| notifications::encrypt_notification(engine, id, &revealed, token))
                .transpose()?;
            let new = NewCibaRequest {
                digest: &digest,
                id,
                client,
                account: self.user.account,
                organization: self.user.only_organization,
                hinted_user: &self.user.rate_limit_key,
                request: &JsonDocument::from_value(&deferred_request)?,
                sealed_notice: notice.as_deref(),
                poll_interval: CIBA_POLL_INTERVAL,
                created_at: now,
                expires_at: now.plus(self.request.lifetime),
            };
            let event = engine.event(EventKind::ApprovalRequested, &cause, now).with_client(client.clone());
            let event =
                self.user.account.into_iter().fold(event, |event, it| event.with_subject("account", it));
            let statement =
                self.build_email(engine, id, &SignInDetails::from_description(&from, now)).await?;
            let batch = WriteBatch::new()
                .with_statement(ciba_requests::create_ciba_request(&new))
                .with_statements(
                    self.replay_guard
                        .iter()
                        .map(|(id, until)| assertion_replays::record_assertion(client, id, *until)),
                )
                .with_statements(statements)
                .with_statements(statement)
                .with_event(&event.with_detail("request", id.to_string()));
            if engine.store().commit(batch).await?.is_committed() {
                let Ok(request) = Secret::parse(&revealed) else { return Err(Failure::Interrupted.into()) };
                let (lifetime, interval) = (self.request.lifetime, CIBA_POLL_INTERVAL);
                return Ok(CibaAcknowledgement { request, lifetime, interval });
            }
        }
        Err(Failure::Contended.into())
    }

    /// Builds the e-mail to the user, if there is an address. Of client-supplied text it contains only the
    /// name. For an unknown user the same is built and never sent.
    async fn build_email(
        &self,
        engine: &Engine,
        id: ApprovalRequestId,
        details: &SignInDetails,
    ) -> Result<Option<GuardedStatement>, Failure> {
        let existing_account = self.user.account;
        let account = existing_account.unwrap_or_else(|| AccountId::mint(engine.now(), engine.entropy()));
        let address = match (
            sign_in_alerts::find_notification_address(engine, account).await?,
            existing_account,
            &self.request.user_hint,
        ) {
            (Some(address), _, _) => address,
            (None, None, CibaUserHint::Email(spelled)) => spelled.clone(),
            (None, _, _) => return Ok(None),
        };
        let lifetime = existing_account.map_or(Lifetime::ZERO, |_| self.request.lifetime);
        let message = EmailMessage {
            kind: EmailKind::ApprovalRequested {
                application: &self.requesting_client.client.client.name,
                request_details: details,
            },
            origin: engine.email_origin(),
            reader: flows::preferred_reader(engine, Some(account), Language::default()).await?,
            proof: Some(EmailedLinkOrCode {
                kind: approval_link(engine, &self.requesting_client.interaction(engine), id),
                lifetime,
            }),
        };
        outbox::enqueue_email(engine, &message, &address, lifetime).map(Some)
    }
}

/// The link to the approval page, or the id of the request if there is no interface.
fn approval_link(engine: &Engine, interaction: &InteractionTarget, id: ApprovalRequestId) -> LinkOrCodeKind {
    match interaction {
        InteractionTarget::Hosted => {
            LinkOrCodeKind::Link(format!("{}{APPROVE_PATH}?request={id}", engine.settings().issuer))
        }
        InteractionTarget::External(address) => {
            let sign = if address.contains('?') { '&' } else { '?' };
            LinkOrCodeKind::Link(format!("{address}{sign}start=approve_request&request={id}"))
        }
        InteractionTarget::Headless => LinkOrCodeKind::Code(id.to_string()),
    }
}

/// Removes parameters that are no longer needed after the user is identified, and the client's secrets.
fn without_hints(parameters: &RawAuthorizationParams) -> RawAuthorizationParams {
    const TRANSIENT_PARAMS: [&str; 4] =
        ["login_hint", "id_token_hint", "client_notification_token", "binding_message"];
    let remaining_params = parameters.iter().filter(|(name, _)| !TRANSIENT_PARAMS.contains(name));
    RawAuthorizationParams::new(remaining_params)
}
