//! The account holder: a signed-in user who manages their own account.
//!
//! Only a session gives access; tokens and API keys do not. Actions that could be used to take over an
//! account require recent authentication with the user's strongest factors.

use crate::sign_in::flows;
use crate::sign_in::sessions;
use crate::sign_in::sessions::ActiveSession;
use crate::{Engine, Error, EventCause, Failure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::assurance::freshness::ReauthenticationRequirement;
use sinete_core::events::security_event::{EventKind, RequestOrigin, SecurityEvent, SecurityEventActor};
use sinete_core::id::{AccountId, EventId};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::access::AccessRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::sign_in::sign_in_methods::{SignInMethod, filter_account_evidence};
use sinete_core::time::Timestamp;
use sinete_crypto::platform::mac::MacPurpose;
use sinete_store::accounts::AccountRow;
use sinete_store::accounts::contacts;
pub use sinete_store::events::security_log::SecurityLogEntry;
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::{CredentialRow, StoredCredentialKind};

/// A signed-in user who manages their own account.
#[derive(Clone, Debug)]
pub struct AccountHolder {
    /// The session.
    pub signed_in: ActiveSession,
    /// The actor and origin for events.
    pub cause: EventCause,
    now: Timestamp,
}

/// Authenticates a session token.
pub async fn authenticate_session(
    engine: &Engine,
    token: &str,
    origin: RequestOrigin,
) -> Result<AccountHolder, Error> {
    let Some(signed_in) = sessions::find(engine, token).await? else {
        return Err(Refusal::because(AccessRefusal::SessionInvalid, "no such session").into());
    };
    let cause = EventCause { actor: SecurityEventActor::Account(signed_in.session.account), origin };
    Ok(AccountHolder { signed_in, cause, now: engine.now() })
}

impl AccountHolder {
    /// Loads the account.
    pub(crate) async fn load_account(&self, engine: &Engine) -> Result<AccountRow, Failure> {
        // An active session has an account.
        sinete_store::accounts::find_account(engine.store(), self.account()).await?.ok_or(Failure::Contended)
    }

    /// Creates it from an active session.
    pub(crate) const fn new(signed_in: ActiveSession, cause: EventCause, now: Timestamp) -> Self {
        Self { signed_in, cause, now }
    }

    /// The account.
    pub const fn account(&self) -> AccountId {
        self.signed_in.session.account
    }

    /// The time at which the request is evaluated.
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// Creates an event of this user.
    pub(crate) fn event(&self, engine: &Engine, kind: EventKind) -> SecurityEvent {
        engine.event(kind, &self.cause, self.now)
    }

    /// The CSRF token of the session.
    pub fn csrf_token(&self, engine: &Engine) -> String {
        let id = self.signed_in.session.id;
        URL_SAFE_NO_PAD.encode(engine.instance_keys().compute_mac(MacPurpose::CsrfToken, &[id.as_bytes()]))
    }

    /// Whether the CSRF token belongs to this session.
    pub fn is_csrf_token_valid(&self, engine: &Engine, token: &str) -> bool {
        let id = self.signed_in.session.id;
        let stamp = URL_SAFE_NO_PAD.decode(token).ok().and_then(|bytes| bytes.try_into().ok());
        stamp.is_some_and(|stamp| {
            engine.instance_keys().verify_mac(MacPurpose::CsrfToken, &[id.as_bytes()], &stamp)
        })
    }

    /// Requires recent authentication with the user's strongest factors, for sensitive actions.
    pub async fn require_fresh_authentication(&self, engine: &Engine) -> Result<(), Error> {
        let account = self.account();
        let credentials = credentials::list_account_credentials(engine.store(), account).await?;
        let contacts = contacts::list_account_contacts(engine.store(), account).await?;
        let flow_account = flows::build_flow_account(engine, account, &credentials).await?;
        let demand = ReauthenticationRequirement::for_sensitive_action(&flow_account);
        let has_own = flows::has_own_sign_in_method(&credentials, &contacts);
        if demand.is_satisfied_by(&filter_account_evidence(&self.signed_in.evidence, has_own), self.now) {
            return Ok(());
        }
        let refusal = Refusal::because(AccessRefusal::ReauthenticationNeeded, "not fresh or not enough");
        Err(refusal.with_required_assurance(demand.level).into())
    }
}

/// Lists the events of the account, oldest first.
pub async fn list_events(
    engine: &Engine,
    account_holder: &AccountHolder,
    after: Option<EventId>,
    limit: u32,
) -> Result<Vec<SecurityLogEntry>, Failure> {
    Ok(sinete_store::events::security_log::list_account_events(
        engine.store(),
        account_holder.account(),
        after,
        limit,
    )
    .await?)
}

/// Lists the latest events of the account, newest first.
pub async fn list_latest_events(
    engine: &Engine,
    account_holder: &AccountHolder,
    limit: u32,
) -> Result<Vec<SecurityLogEntry>, Failure> {
    Ok(sinete_store::events::security_log::list_latest_account_events(
        engine.store(),
        account_holder.account(),
        limit,
    )
    .await?)
}

/// Lists the usable sign-in methods of the account.
pub(crate) async fn list_sign_in_methods(
    engine: &Engine,
    account: AccountId,
) -> Result<Vec<SignInMethod>, Failure> {
    let credentials = credentials::list_account_credentials(engine.store(), account).await?;
    let contacts = contacts::list_account_contacts(engine.store(), account).await?;
    let reads_mail = contacts.iter().any(flows::can_sign_in_with);
    let providers = flows::list_usable_identities(engine, account).await?;
    let mut methods: Vec<_> = credentials.iter().filter_map(sign_in_method).collect();
    methods.extend(reads_mail.then_some(SignInMethod::Email));
    methods.extend(providers.iter().map(|_| SignInMethod::Provider));
    Ok(methods)
}

/// The sign-in method of a credential, if it is usable.
pub(crate) fn sign_in_method(credential: &CredentialRow) -> Option<SignInMethod> {
    let in_use = credential.disabled_at.is_none() && credential.confirmed_at.is_some();
    in_use.then_some(match credential.kind {
        StoredCredentialKind::Passkey => SignInMethod::Passkey,
        StoredCredentialKind::Password => SignInMethod::Password,
        StoredCredentialKind::Totp => SignInMethod::Totp,
        StoredCredentialKind::RecoveryCodes => SignInMethod::RecoveryCodes,
    })
}

/// The refusal for a resource that does not exist or belongs to another account.
pub(crate) fn not_found(reason: &'static str) -> Refusal {
    Refusal::because(RequestRefusal::NotFound, reason)
}
