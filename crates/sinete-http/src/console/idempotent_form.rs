//! Forms that create something: submitting one again creates nothing
//! (docs/contribute/decisions/0178-console-secrets-shown-once.md).

use super::{ActionError, ActionOutcome, CompletedAction, PageContext};
use sinete_engine::UseCaseResult;
use sinete_engine::platform::idempotency;
use sinete_engine::platform::idempotency::IdempotencyClaim;
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerError;

/// Whether a form is submitted for the first time.
pub(super) enum FormClaim {
    /// The first time, with the claim for the object that it creates.
    New(IdempotencyClaim),
    /// It was submitted before, with this result.
    Repeated(ActionOutcome),
}

/// Claims the idempotency key of a form, or returns the earlier result.
pub(super) async fn claim_form_token(
    work: &PageContext<'_>,
    form: &FormParams,
) -> Result<FormClaim, ActionError> {
    let claim = work
        .access
        .idempotency_claim(form.get("once").unwrap_or_default(), &work.path)
        .map_err(ActionError::Refused)?;
    Ok(match find_earlier_result(work, &claim).await? {
        Some(made) => FormClaim::Repeated(made),
        None => FormClaim::New(claim),
    })
}

/// The notice if it was already created; a concurrent duplicate may have been first.
pub(super) async fn find_earlier_result(
    work: &PageContext<'_>,
    claim: &IdempotencyClaim,
) -> Result<Option<ActionOutcome>, HandlerError> {
    let earlier = idempotency::find_earlier_reply(work.engine(), claim).await.unless_refused()?;
    let was_made = earlier.flatten().is_some();
    Ok(was_made.then(|| {
        ActionOutcome::Redirect(CompletedAction {
            notice: ConsoleNotice::MadeBefore,
            return_path: work.path.clone(),
        })
    }))
}
