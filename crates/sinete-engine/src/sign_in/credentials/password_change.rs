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
    oneself: &AccountHolder,
    chosen: &PasswordChange,
    walker: &FlowActor,
) -> Result<StartedSession, Error> {
    oneself.require_fresh_authentication(engine).await?;
    let account = oneself.account();
    let names = flows::list_known_names(engine, account).await?;
    let hash = flows::hash_new_password(engine, &chosen.password, &names).await?;
    let spent = verify_current_password(engine, oneself, chosen, walker).await?;
    // The reset of the attempt counter is committed separately, because the hash itself will be replaced.
    let _ = engine.store().commit(spent).await?;
    for _ in 0..ATTEMPTS_MAX {
        let session = &oneself.signed_in.session;
        let act = flows::set_password(engine, WriteBatch::new(), account, &hash, &oneself.cause).await?;
        let (act, ended) =
            sessions::end_other_sessions(engine, act, account, Some(session.id), &oneself.cause).await?;
        let renewal = SessionRenewal {
            session,
            evidence: &oneself.signed_in.evidence,
            authenticated_at: session.authenticated_at,
        };
        let (act, begun) = sessions::renew(engine, act, &renewal, &oneself.cause)?;
        let act = sign_in_alerts::notify_owner(engine, act, account, EmailKind::PasswordChanged).await?;
        if engine.store().commit(act).await?.is_committed() {
            drop(backchannel_logout::spawn_notifications(engine, ended, &oneself.cause));
            return Ok(begun);
        }
    }
    Err(Failure::Contended.into())
}

/// Verifies the current password, with the usual limit of attempts.
async fn verify_current_password(
    engine: &Engine,
    oneself: &AccountHolder,
    chosen: &PasswordChange,
    walker: &FlowActor,
) -> Result<WriteBatch, Error> {
    let kept = credentials::list_account_credentials(engine.store(), oneself.account()).await?;
    let has_one = kept.iter().any(|it| it.kind == StoredCredentialKind::Password && it.disabled_at.is_none());
    match (has_one, &chosen.current_password) {
        (false, None) => Ok(WriteBatch::new()),
        (true, Some(current)) => {
            let (account, signed_in) = (oneself.account(), &oneself.signed_in);
            let walker =
                flows::with_session_counter(walker, account, signed_in.session.id, &signed_in.evidence);
            let (_, act) = check_password(engine, Some(account), "", current, &walker).await?;
            Ok(act)
        }
        (true, None) => Err(password_rejected("is required").into()),
        (false, Some(_)) => Err(password_rejected("the account has no password; remove this member").into()),
    }
}

fn password_rejected(text: &'static str) -> Refusal {
    let mut faults = ValidationErrors::default();
    faults.add("/current_password", text);
    Refusal::from_validation_errors(faults)
}
