//! Deliveries of e-mail and SMS messages, for operators.

use crate::access_control::instance_admin::InstanceAdmin;
use crate::{Engine, Error};
use sinete_core::access_control::built_in_permissions::READ_INSTANCE;
use sinete_core::id::MessageId;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_store::platform::outbox;
use sinete_store::platform::outbox::MessageDelivery;

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
    let no_such = || Refusal::because(RequestRefusal::NotFound, "no such message");
    Ok(outbox::find_delivery(engine.store(), id).await?.ok_or_else(no_such)?)
}
