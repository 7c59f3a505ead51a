//! Choosing a password, or another one, while signed in.

use crate::oauth::logout;
use crate::platform::email::EmailKind;
use crate::sign_in::account_holder::AccountHolder;
use crate::sign_in::flows;
use crate::sign_in::flows::FlowActor;
use crate::sign_in::sessions;
use crate::sign_in::sessions::{SessionRenewal, StartedSession};
use crate::sign_in::sign_in_alerts;
use crate::{ATTEMPTS_MAX, Engine, Failure};
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;
use sinete_store::WriteBatch;
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::StoredCredentialKind;

/// A password to choose.
pub struct PasswordChange {
    /// The one there is, where there is one.
    pub current_password: Option<String>,
    /// The new one.
    pub password: String,
}

/// Gives the account a password. Whoever has one shows it first; every other session ends, this one goes on under a
/// new token, and the owner is written to.
pub async fn change_password(
    engine: &Engine,
    oneself: &AccountHolder,
    chosen: &PasswordChange,
    walker: &FlowActor,
) -> Result<Result<StartedSession, Refusal>, Failure> {
    if let Err(refusal) = oneself.require_fresh_authentication(engine).await? {
        return Ok(Err(refusal));
    }
    let account = oneself.account();
    let names = flows::list_known_names(engine, account).await?;
    let hash = match flows::hash_new_password(engine, &chosen.password, &names).await? {
        Ok(hash) => hash,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let spent = match verify_current_password(engine, oneself, chosen, walker).await? {
        Ok(spent) => spent,
        Err(refusal) => return Ok(Err(refusal)),
    };
    // Where the hash is made anew, the old one goes altogether: what was right is forgotten in an act of its own.
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
        if engine.store().commit(act).await?.is_ok() {
            drop(logout::spawn_notifications(engine, ended, &oneself.cause));
            return Ok(Ok(begun));
        }
    }
    Err(Failure::Contended)
}

/// Whoever has a password shows it, as often as anybody may guess at it.
async fn verify_current_password(
    engine: &Engine,
    oneself: &AccountHolder,
    chosen: &PasswordChange,
    walker: &FlowActor,
) -> Result<Result<WriteBatch, Refusal>, Failure> {
    let kept = credentials::list_account_credentials(engine.store(), oneself.account()).await?;
    let has_one = kept.iter().any(|it| it.kind == StoredCredentialKind::Password && it.disabled_at.is_none());
    match (has_one, &chosen.current_password) {
        (false, None) => Ok(Ok(WriteBatch::new())),
        (true, Some(current)) => {
            let (account, signed_in) = (oneself.account(), &oneself.signed_in);
            let walker =
                flows::with_session_counter(walker, account, signed_in.session.id, &signed_in.evidence);
            let checked = flows::check_password(engine, Some(account), "", current, &walker).await?;
            Ok(checked.map(|(_, act)| act))
        }
        (true, None) => Ok(Err(password_rejected("it is missing"))),
        (false, Some(_)) => Ok(Err(password_rejected("there is no password yet"))),
    }
}

fn password_rejected(text: &'static str) -> Refusal {
    let mut faults = ValidationErrors::default();
    faults.add("/current_password", text);
    Refusal::from_validation_errors(faults)
}
