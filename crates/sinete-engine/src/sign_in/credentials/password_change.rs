//! Setting or changing a password while signed in.

use crate::platform::email::EmailKind;
use crate::sign_in::account_holder::AccountHolder;
use crate::sign_in::backchannel_logout;
use crate::sign_in::credentials::password::check_password;
use crate::sign_in::flows;
use crate::sign_in::flows::FlowActor;
use crate::sign_in::sessions;
use crate::sign_in::sessions::{SessionRenewal, StartedSession};
use crate::sign_in::sign_in_alerts;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;
use sinete_store::WriteBatch;
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::StoredCredentialKind;

/// A password change.
pub struct PasswordChange {
    /// The current password, if there is one.
    pub current_password: Option<String>,
    /// The new password.
    pub password: String,
}

/// Sets the password. An existing password must be given first; all other sessions end, this one gets a new
/// token, and the user is notified.
pub async fn change_password(
    engine: &Engine,
    account_holder: &AccountHolder,
    change: &PasswordChange,
    actor: &FlowActor,
) -> Result<StartedSession, Error> {
    account_holder.require_fresh_authentication(engine).await?;
    let account = account_holder.account();
    let names = flows::list_known_names(engine, account).await?;
    let hash = flows::hash_new_password(engine, &change.password, &names).await?;
    let spent = verify_current_password(engine, account_holder, change, actor).await?;
    // The reset of the attempt counter is committed separately, because the hash itself will be replaced.
    let _ = engine.store().commit(spent).await?;
    for _ in 0..ATTEMPTS_MAX {
        let session = &account_holder.signed_in.session;
        let batch =
            flows::set_password(engine, WriteBatch::new(), account, &hash, &account_holder.cause).await?;
        let (batch, ended) =
            sessions::end_other_sessions(engine, batch, account, Some(session.id), &account_holder.cause)
                .await?;
        let renewal = SessionRenewal {
            session,
            evidence: &account_holder.signed_in.evidence,
            authenticated_at: session.authenticated_at,
        };
        let (batch, session) = sessions::renew(engine, batch, &renewal, &account_holder.cause)?;
        let batch = sign_in_alerts::notify_owner(engine, batch, account, EmailKind::PasswordChanged).await?;
        if engine.store().commit(batch).await?.is_committed() {
            drop(backchannel_logout::spawn_notifications(engine, ended, &account_holder.cause));
            return Ok(session);
        }
    }
    Err(Failure::Contended.into())
}

/// Verifies the current password, with the usual limit of attempts.
async fn verify_current_password(
    engine: &Engine,
    account_holder: &AccountHolder,
    change: &PasswordChange,
    actor: &FlowActor,
) -> Result<WriteBatch, Error> {
    let credentials = credentials::list_account_credentials(engine.store(), account_holder.account()).await?;
    let has_one =
        credentials.iter().any(|it| it.kind == StoredCredentialKind::Password && it.disabled_at.is_none());
    match (has_one, &change.current_password) {
        (false, None) => Ok(WriteBatch::new()),
        (true, Some(current)) => {
            let (account, signed_in) = (account_holder.account(), &account_holder.signed_in);
            let actor =
                flows::with_session_counter(actor, account, signed_in.session.id, &signed_in.evidence);
            let (_, batch) = check_password(engine, Some(account), "", current, &actor).await?;
            Ok(batch)
        }
        (true, None) => Err(password_rejected("is required").into()),
        (false, Some(_)) => Err(password_rejected("the account has no password; remove this member").into()),
    }
}

fn password_rejected(text: &'static str) -> Refusal {
    let mut errors = ValidationErrors::default();
    errors.add("/current_password", text);
    Refusal::from_validation_errors(errors)
}
