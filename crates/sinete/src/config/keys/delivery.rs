//! The keys of e-mail and SMS delivery.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::parse;
use crate::config::values::{MailServer, MaskedText};
use std::path::PathBuf;
use url::Url;

/// Whether this node delivers messages.
pub static DELIVERY_ENABLED: ConfigKey<bool> = ConfigKey::flag(
    ConfigKeyEntry::new(
        "delivery.enabled",
        "Whether this node sends messages from the outbox. One of several nodes is enough; each message is sent by \
         one of them.",
        "`true` or `false`",
        "false",
    )
    .with_default("true"),
    |flag| flag,
);

/// The mail server.
pub static MAIL_SERVER: ConfigKey<MailServer> = ConfigKey::text(
    ConfigKeyEntry::new(
        "mail.server",
        "The SMTP server. `smtp` requires STARTTLS, port 587; `smtps` is TLS from the first byte, port 465; \
         `smtp-plain` is not encrypted and only for a development instance, to a server on this machine.",
        "`smtp://`, `smtps://` or `smtp-plain://` with a host, and a port if it is another",
        "\"smtp://mail.example.com\"",
    )
    .with_unset_meaning("in development mail is shown at /dev/mail; in production none is sent"),
    parse::mail_server,
);

/// The sender of e-mail.
pub static MAIL_FROM: ConfigKey<String> = ConfigKey::text(
    ConfigKeyEntry::new(
        "mail.from",
        "The sender of e-mail.",
        "an e-mail address, optionally with a name",
        "\"Example <no-reply@example.com>\"",
    )
    .with_unset_meaning("no mail is sent"),
    parse::sender,
);

/// The user name at the mail server.
pub static MAIL_USER: ConfigKey<String> = ConfigKey::text(
    ConfigKeyEntry::new("mail.user", "The user name at the mail server.", "a text", "\"sinete\"")
        .with_unset_meaning("no authentication at the mail server"),
    parse::text,
);

/// The password at the mail server.
pub static MAIL_PASSWORD: ConfigKey<MaskedText> = ConfigKey::text(
    ConfigKeyEntry::new(
        "mail.password",
        "The password at the mail server. Prefer the environment or `mail.password_file`.",
        "a text",
        "\"a long one\"",
    )
    .with_unset_meaning("no authentication at the mail server")
    .secret(),
    parse::masked_text,
);

/// The file with that password.
pub static MAIL_PASSWORD_FILE: ConfigKey<PathBuf> = ConfigKey::text(
    ConfigKeyEntry::new(
        "mail.password_file",
        "A file with the password at the mail server, readable by its owner only.",
        "the path of a file",
        "\"/etc/sinete/mail.password\"",
    )
    .with_unset_meaning("no authentication at the mail server"),
    parse::path,
);

/// An additional CA for the mail server's certificate.
pub static MAIL_CA_FILE: ConfigKey<PathBuf> = ConfigKey::text(
    ConfigKeyEntry::new(
        "mail.ca_file",
        "A PEM file with the certificate of your own certificate authority, trusted for the mail server.",
        "the path of a file",
        "\"/etc/sinete/ca.pem\"",
    )
    .with_unset_meaning("only the authorities that the operating system trusts"),
    parse::path,
);

/// The folder of e-mail templates.
pub static MAIL_TEMPLATES: ConfigKey<PathBuf> = ConfigKey::text(
    ConfigKeyEntry::new(
        "mail.templates",
        "A folder with templates that replace the built-in text of e-mail, for the instance and for \
         organizations.",
        "the path of a folder",
        "\"/etc/sinete/mail\"",
    )
    .with_unset_meaning("the built-in text"),
    parse::path,
);

/// The SMS gateway.
pub static SMS_GATEWAY: ConfigKey<Url> = ConfigKey::text(
    ConfigKeyEntry::new(
        "sms.gateway",
        "The URL of the SMS gateway, with the API of Twilio or one compatible with it.",
        "an `https` URL; in development also `http` on this machine",
        "\"https://api.twilio.com/2010-04-01/Accounts/AC0123/Messages.json\"",
    )
    .with_unset_meaning("in development they are shown at /dev/mail; in production none is sent"),
    parse::endpoint,
);

/// The sender of SMS.
pub static SMS_FROM: ConfigKey<String> = ConfigKey::text(
    ConfigKeyEntry::new(
        "sms.from",
        "The sender of SMS: a telephone number, or the id of a messaging service.",
        "a number with its country's code, or a text that begins with `MG`",
        "\"+15005550006\"",
    )
    .with_unset_meaning("no SMS is sent"),
    parse::text,
);

/// The user name at the gateway.
pub static SMS_USER: ConfigKey<String> = ConfigKey::text(
    ConfigKeyEntry::new("sms.user", "The account at the SMS gateway.", "a text", "\"AC0123\"")
        .with_unset_meaning("no SMS is sent"),
    parse::text,
);

/// The password at the gateway.
pub static SMS_PASSWORD: ConfigKey<MaskedText> = ConfigKey::text(
    ConfigKeyEntry::new(
        "sms.password",
        "The token of that account. Prefer the environment or `sms.password_file`.",
        "a text",
        "\"a long one\"",
    )
    .with_unset_meaning("no SMS is sent")
    .secret(),
    parse::masked_text,
);

/// The file with that password.
pub static SMS_PASSWORD_FILE: ConfigKey<PathBuf> = ConfigKey::text(
    ConfigKeyEntry::new(
        "sms.password_file",
        "A file with the token of that account, readable by its owner only.",
        "the path of a file",
        "\"/etc/sinete/sms.token\"",
    )
    .with_unset_meaning("no SMS is sent"),
    parse::path,
);

/// The GeoIP database file.
pub static ALERTS_GEOIP_FILE: ConfigKey<PathBuf> = ConfigKey::text(
    ConfigKeyEntry::new(
        "alerts.geoip_file",
        "A GeoIP file in MaxMind's format. With it users see the location of their sessions and get an alert after \
         impossible travel. It is read at start-up.",
        "the path of a file",
        "\"/var/lib/GeoIP/GeoLite2-City.mmdb\"",
    )
    .with_unset_meaning("locations are neither shown nor checked"),
    parse::path,
);
