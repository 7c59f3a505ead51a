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
    instance_admin: &InstanceAdmin,
    after: Option<MessageId>,
    limit: u32,
) -> Result<Vec<MessageDelivery>, Error> {
    instance_admin.require_permission(READ_INSTANCE)?;
    Ok(outbox::list_deliveries(engine.store(), after, limit).await?)
}

/// Shows the delivery of one message.
pub async fn find_delivery(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: MessageId,
) -> Result<MessageDelivery, Error> {
    instance_admin.require_permission(READ_INSTANCE)?;
    load_delivery(engine, id).await
}

async fn load_delivery(engine: &Engine, id: MessageId) -> Result<MessageDelivery, Error> {
    let no_such = || Refusal::because(RequestRefusal::NotFound, "no such message");
    Ok(outbox::find_delivery(engine.store(), id).await?.ok_or_else(no_such)?)
}

/// Sends a message again, now: to the same recipient, with the same content and id.
pub async fn resend(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: MessageId,
) -> Result<MessageDelivery, Error> {
    instance_admin.require_permission(OPERATE_INSTANCE)?;
    load_delivery(engine, id).await?;
    let event = instance_admin
        .event(engine, EventKind::MessageResent, instance_admin.operator_organization())
        .with_subject("message", id);
    let batch = WriteBatch::new().with_statement(outbox::resend_message(id, instance_admin.now()));
    match engine.store().commit(instance_admin.record(batch, &event, "")?).await? {
        BatchOutcome::Committed(_) => load_delivery(engine, id).await,
        BatchOutcome::Conflict(_) => {
            Err(Refusal::because(AdministrationRefusal::MessageNotResendable, "expired or claimed").into())
        }
    }
}
