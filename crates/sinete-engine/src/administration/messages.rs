//! Deliveries of e-mail and SMS messages, for operators.

use crate::access_control::instance_admin::InstanceAdmin;
use crate::{Engine, Error};
use sinete_core::access_control::built_in_permissions::{OPERATE_INSTANCE, READ_INSTANCE};
use sinete_core::events::security_event::EventKind;
use sinete_core::id::MessageId;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::administration::AdministrationRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_store::platform::outbox;
use sinete_store::platform::outbox::MessageDelivery;
use sinete_store::{BatchOutcome, WriteBatch};

/// Lists deliveries, oldest first, for operators.
pub async fn list_deliveries(
    engine: &Engine,
    operating: &InstanceAdmin,
    after: Option<MessageId>,
    most: u32,
) -> Result<Vec<MessageDelivery>, Error> {
    operating.require_permission(READ_INSTANCE)?;
    Ok(outbox::list_deliveries(engine.store(), after, most).await?)
}

/// Shows the delivery of one message.
pub async fn find_delivery(
    engine: &Engine,
    operating: &InstanceAdmin,
    id: MessageId,
) -> Result<MessageDelivery, Error> {
    operating.require_permission(READ_INSTANCE)?;
    load_delivery(engine, id).await
}

async fn load_delivery(engine: &Engine, id: MessageId) -> Result<MessageDelivery, Error> {
    let no_such = || Refusal::because(RequestRefusal::NotFound, "no such message");
    Ok(outbox::find_delivery(engine.store(), id).await?.ok_or_else(no_such)?)
}

/// Sends a message again, now: to the same recipient, with the same content and id.
pub async fn resend(
    engine: &Engine,
    operating: &InstanceAdmin,
    id: MessageId,
) -> Result<MessageDelivery, Error> {
    operating.require_permission(OPERATE_INSTANCE)?;
    load_delivery(engine, id).await?;
    let event = operating
        .event(engine, EventKind::MessageResent, operating.operator_organization())
        .with_subject("message", id);
    let act = WriteBatch::new().with_statement(outbox::resend_message(id, operating.now()));
    match engine.store().commit(operating.record(act, &event, "")?).await? {
        BatchOutcome::Committed(_) => load_delivery(engine, id).await,
        BatchOutcome::Conflict(_) => {
            Err(Refusal::because(AdministrationRefusal::MessageNotResendable, "expired or claimed").into())
        }
    }
}
