//! The senders of messages: those of tests, the configured ones, the development mailbox, or none.

use crate::config::Config;
use crate::config::values::ConfiguredMode;
use crate::exit::CommandError;
use crate::outbound::sms::SmsGateway;
use crate::outbound::smtp::SmtpMailer;
use crate::server_ports::ServerPorts;
use sinete_core::id::MessageId;
use sinete_engine::platform::dev_mailbox::DevMailbox;
use sinete_engine::platform::outbox::MessageCarriers;
use sinete_engine::ports::{EmailSender, OutgoingEmail, OutgoingSms, SendError, SendFuture, SmsSender};
use std::sync::Arc;

/// Builds the senders of this node.
pub fn build_carriers(
    config: &Config,
    ports: &ServerPorts,
    mailbox: Option<&Arc<DevMailbox>>,
) -> Result<MessageCarriers, CommandError> {
    let unusable = |key: &str, reason| CommandError::invalid_usage(format!("{key} cannot be used: {reason}"));
    let mailer: Arc<dyn EmailSender> = match (&ports.email_sender, &config.email, mailbox) {
        (Some(email_sender), _, _) => Arc::clone(email_sender),
        (None, Some(mail), _) => {
            Arc::new(SmtpMailer::new(mail).map_err(|reason| unusable("mail.server", reason))?)
        }
        (None, None, Some(mailbox)) => mailbox.clone(),
        (None, None, None) => Arc::new(NoCarrier),
    };
    let texter: Arc<dyn SmsSender> = match (&ports.sms_sender, &config.sms, mailbox) {
        (Some(sms_sender), _, _) => Arc::clone(sms_sender),
        (None, Some(sms), _) => {
            let gateway = SmsGateway::new(sms, ports.clock.clone());
            Arc::new(gateway.map_err(|reason| unusable("sms.gateway", reason))?)
        }
        (None, None, Some(mailbox)) => mailbox.clone(),
        (None, None, None) => Arc::new(NoCarrier),
    };
    Ok(MessageCarriers { email: mailer, sms: texter })
}

/// The mailbox of a development instance.
pub fn build_dev_mailbox(config: &Config) -> Option<Arc<DevMailbox>> {
    (config.mode == ConfiguredMode::Development).then(Arc::default)
}

/// A sender without configuration. Messages wait until one is configured or they expire.
struct NoCarrier;

impl EmailSender for NoCarrier {
    fn send<'a>(&'a self, _: MessageId, _: &'a OutgoingEmail) -> SendFuture<'a> {
        Box::pin(std::future::ready(Err(SendError::Temporary("no mail server is configured".to_owned()))))
    }
}

impl SmsSender for NoCarrier {
    fn send<'a>(&'a self, _: MessageId, _: &'a OutgoingSms) -> SendFuture<'a> {
        Box::pin(std::future::ready(Err(SendError::Temporary("no SMS gateway is configured".to_owned()))))
    }
}
