//! Password resets that operators start and only the user can complete.

use super::{account_deleted, account_event, find_manageable, record_for_organizations};
use crate::access_control::instance_admin::InstanceAdmin;
use crate::platform::email::{EmailKind, EmailMessage, EmailedLinkOrCode, LinkOrCodeKind};
use crate::platform::outbox;
use crate::sign_in::flows;
use crate::sign_in::flows::InteractionTarget;
use crate::sign_in::message_rate_limit;
use crate::sign_in::message_rate_limit::{MessageChannel, MessageRequester};
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::accounts::language::Language;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::AccountId;
use sinete_core::limits::NOTICE_LIFETIME;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::accounts::AccountRefusal;
use sinete_core::time::Lifetime;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::{GuardedStatement, WriteBatch};

/// The path of the password reset page, below the issuer.
const RESET_PATH: &str = "/reset-password";

/// Sends the user an e-mail with a link to set a new password. The operator learns and chooses nothing.
pub async fn start_password_reset(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: AccountId,
) -> Result<(), Error> {
    let account = find_manageable(engine, instance_admin, id).await?;
    if account.condition != LifecycleCondition::Enabled {
        return Err(account_deleted().into());
    }
    let contacts = contacts::list_account_contacts(engine.store(), id).await?;
    let contact_rows = contacts.iter().filter(|it| it.kind == ContactKind::Email && it.verified_at.is_some());
    let primary = contact_rows.max_by_key(|it| it.is_primary);
    let Some(address) = primary.and_then(|it| it.address.parse::<EmailAddress>().ok()) else {
        return Err(Refusal::because(
            AccountRefusal::VerifiedEmailMissing,
            "the account has no verified e-mail address",
        )
        .into());
    };
    for _ in 0..ATTEMPTS_MAX {
        let (to, by) = (address.lookup_key(), &MessageRequester::Operator);
        let budget =
            message_rate_limit::count_message(engine, MessageChannel::OperatorRequest, &to, Some(id), by)
                .await?;
        let Some(statements) = budget.count_statements else {
            return Err(too_many_messages(budget.retry_after).into());
        };
        let batch = WriteBatch::new()
            .with_statement(enqueue_reset_email(engine, id, &address).await?)
            .with_statements(statements);
        let event = account_event(engine, instance_admin, EventKind::AccountResetStarted, id);
        let batch = record_for_organizations(engine, instance_admin, batch, &event, id).await?;
        if engine.store().commit(batch).await?.is_committed() {
            return Ok(());
        }
    }
    Err(Failure::Contended.into())
}

/// Queues the password reset e-mail in the user's language.
async fn enqueue_reset_email(
    engine: &Engine,
    id: AccountId,
    address: &EmailAddress,
) -> Result<GuardedStatement, Failure> {
    let issuer = &engine.settings().issuer;
    let link = match &engine.settings().flows.interaction {
        InteractionTarget::Hosted => Some(format!("{issuer}{RESET_PATH}")),
        InteractionTarget::External(address) => Some(address.clone()),
        InteractionTarget::Headless => None,
    };
    let proof =
        link.map(|link| EmailedLinkOrCode { kind: LinkOrCodeKind::Link(link), lifetime: NOTICE_LIFETIME });
    let message = EmailMessage {
        kind: EmailKind::ResetStarted,
        origin: engine.email_origin(),
        reader: flows::preferred_reader(engine, Some(id), Language::default()).await?,
        proof,
    };
    outbox::enqueue_email(engine, &message, address, NOTICE_LIFETIME)
}

fn too_many_messages(wait: Lifetime) -> Refusal {
    Refusal::because(AccountRefusal::MessageRateLimited, "too many messages to one address")
        .with_retry_after(wait)
}
