//! Who carries messages away: what tests bring, what is configured, the development mailbox, or nobody.

use crate::config::Config;
use crate::config::values::Mode;
use crate::exit::Stop;
use crate::outbound::sms::SmsGateway;
use crate::outbound::smtp::SmtpMailer;
use crate::serve::Ports;
use sinete_core::id::MessageId;
use sinete_engine::deliver::Carriers;
use sinete_engine::dev_mailbox::DevMailbox;
use sinete_engine::ports::{Mailer, Message, NotSent, Sending, ShortMessage, Texter};
use std::sync::Arc;

/// The carriers of this node.
pub fn carriers(config: &Config, ports: &Ports, mailbox: Option<&Arc<DevMailbox>>) -> Result<Carriers, Stop> {
    let unusable = |key: &str, why| Stop::wrong(format!("{key} cannot be used: {why}"));
    let mailer: Arc<dyn Mailer> = match (&ports.mailer, &config.mail, mailbox) {
        (Some(brought), _, _) => Arc::clone(brought),
        (None, Some(mail), _) => Arc::new(SmtpMailer::new(mail).map_err(|why| unusable("mail.server", why))?),
        (None, None, Some(mailbox)) => mailbox.clone(),
        (None, None, None) => Arc::new(Nobody),
    };
    let texter: Arc<dyn Texter> = match (&ports.texter, &config.sms, mailbox) {
        (Some(brought), _, _) => Arc::clone(brought),
        (None, Some(sms), _) => {
            let gateway = SmsGateway::new(sms, ports.clock.clone());
            Arc::new(gateway.map_err(|why| unusable("sms.gateway", why))?)
        }
        (None, None, Some(mailbox)) => mailbox.clone(),
        (None, None, None) => Arc::new(Nobody),
    };
    Ok(Carriers { mailer, texter })
}

/// Where a development instance keeps what it sends to nobody.
pub fn mailbox(config: &Config) -> Option<Arc<DevMailbox>> {
    (config.mode == Mode::Development).then(Arc::default)
}

/// Nobody is configured. A message waits, in case somebody is before it is worthless.
struct Nobody;

impl Mailer for Nobody {
    fn send<'a>(&'a self, _: MessageId, _: &'a Message) -> Sending<'a> {
        Box::pin(std::future::ready(Err(NotSent::Later("no mail server is configured".to_owned()))))
    }
}

impl Texter for Nobody {
    fn send<'a>(&'a self, _: MessageId, _: &'a ShortMessage) -> Sending<'a> {
        Box::pin(std::future::ready(Err(NotSent::Later("no SMS gateway is configured".to_owned()))))
    }
}
