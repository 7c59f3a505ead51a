//! Notification that a webhook was paused: in the security log, the audit log, and by e-mail to its owners.

use crate::access_control::organization_access::with_audit_log_event;
use crate::platform::email::{EmailKind, EmailMessage};
use crate::platform::outbox;
use crate::{Engine, Failure, organizations as house};
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::events::webhooks::WebhookPauseReason;
use sinete_core::limits::{NOTICE_LIFETIME, WEBHOOK_NOTICES_MAX};
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_store::accounts::contacts;
use sinete_store::events::webhooks::delivery::DueWebhookDelivery;
use sinete_store::{WriteBatch, organizations};

/// Adds the event and the e-mails to the batch that pauses a webhook. For webhooks of the instance, operators
/// are notified.
pub(super) async fn with_pause_notice(
    engine: &Engine,
    batch: WriteBatch,
    webhook_delivery: &DueWebhookDelivery,
    reason: WebhookPauseReason,
) -> Result<WriteBatch, Failure> {
    let now = engine.now();
    let (organization, role) = match webhook_delivery.organization {
        Some(organization) => (organization, BuiltInRole::Owner),
        None => {
            let slug = house::OPERATORS.parse().map_err(|_| Failure::Contended)?;
            let organization = organizations::find_organization_by_slug(engine.store(), &slug, now).await?;
            (organization.ok_or(Failure::Contended)?.id, BuiltInRole::Operator)
        }
    };
    let event =
        SecurityEvent::new(EventKind::WebhookPaused, SecurityEventActor::System, now, engine.entropy())
            .with_organization(organization)
            .with_subject("webhook", webhook_delivery.id)
            .with_detail("why", reason.as_str());
    let mut batch = with_audit_log_event(batch, &event, organization, "")?;
    let owner = organizations::find_organization(engine.store(), organization, now).await?;
    let owner = owner.ok_or(Failure::Contended)?;
    let settings: OrganizationSettings = owner.settings.parse()?;
    let branding = house::branding::find_email_organization(engine, &owner).await?;
    let message = EmailMessage {
        kind: EmailKind::WebhookPaused { address: &webhook_delivery.address },
        origin: engine.email_origin().for_organization(webhook_delivery.organization.map(|_| &branding)),
        reader: settings.language.into(),
        proof: None,
    };
    let role = role.name();
    for address in contacts::list_role_emails(engine.store(), organization, role, WEBHOOK_NOTICES_MAX).await?
    {
        if let Ok(address) = address.parse() {
            batch = batch.with_statement(outbox::enqueue_email(engine, &message, &address, NOTICE_LIFETIME)?);
        }
    }
    Ok(batch)
}
