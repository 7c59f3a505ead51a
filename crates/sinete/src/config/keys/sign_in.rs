//! The keys of sign-in and sign-up.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::parse;
use sinete_engine::sign_in::flows::SignUpPolicy;
use std::path::PathBuf;
use url::Url;

/// Who may sign up.
pub static ACCOUNTS_SIGN_UP: ConfigKey<SignUpPolicy> = ConfigKey::text(
    ConfigKeyEntry::new(
        "accounts.sign_up",
        "Who may make an account: anybody, or whoever was invited into an organization.",
        "`open` or `invited`",
        "\"open\"",
    )
    .with_derived_default("`open` in development, `invited` in production", |config| {
        match config.sign_in.sign_up {
            SignUpPolicy::Open => "open".to_owned(),
            SignUpPolicy::InvitationOnly => "invited".to_owned(),
        }
    }),
    parse::sign_up,
);

/// Minimum characters in a password.
pub static PASSWORDS_LENGTH_MIN: ConfigKey<usize> = ConfigKey::number(
    ConfigKeyEntry::new(
        "passwords.length_min",
        "How many characters a new password has at least. Nothing else is asked of one, but that it is not \
         among the most common ones. Fewer than 15 are safe only where everybody has a second factor.",
        "a number from 8 to 64",
        "12",
    )
    .with_default("15"),
    |number| parse::integer_in_range(number, 8, 64),
);

/// The memory cost of password hashing.
pub static PASSWORDS_MEMORY_KIB: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "passwords.memory_kib",
        "How much memory hashing one password takes, in KiB (Argon2id). A stored hash is made anew at the \
         next sign-in after this was changed. Less than the usual figure is for tests.",
        "a number from 64 to 262144",
        "47104",
    )
    .with_default("19456"),
    |number| parse::integer_in_range(number, 64, 262_144),
);

/// The passes of password hashing.
pub static PASSWORDS_PASSES: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "passwords.passes",
        "How often hashing one password goes over that memory.",
        "a number from 1 to 16",
        "3",
    )
    .with_default("2"),
    |number| parse::integer_in_range(number, 1, 16),
);

/// The number of passwords hashed concurrently.
pub static PASSWORDS_HASHED_AT_ONCE: ConfigKey<usize> = ConfigKey::number(
    ConfigKeyEntry::new(
        "passwords.hashed_at_once",
        "How many passwords one node hashes at once. Four times as many wait, for half a second at most; \
         further ones are answered 503 with `Retry-After`.",
        "a number from 1 to 64",
        "4",
    )
    .with_derived_default("as many as there are cores, within 256 MiB", |config| {
        config.sign_in.hashing_concurrency().to_string()
    }),
    |number| parse::integer_in_range(number, 1, 64),
);

/// A file of breached passwords.
pub static PASSWORDS_BREACHED_FILE: ConfigKey<PathBuf> = ConfigKey::text(
    ConfigKeyEntry::new(
        "passwords.breached_file",
        "A list of breached passwords that nobody may choose: SHA-1 hashes in hexadecimal digits, one a line, in \
         ascending order, each with a count behind a colon or without one, which is how such lists are published. It \
         is searched where it is, however large, and opened at the start.",
        "the path of a file",
        "\"/var/lib/sinete/pwned-passwords-sha1-ordered-by-hash.txt\"",
    )
    .with_unset_meaning("no list is asked"),
    parse::path,
);

/// A breached password service.
pub static PASSWORDS_BREACHED_SERVICE: ConfigKey<Url> = ConfigKey::text(
    ConfigKeyEntry::new(
        "passwords.breached_service",
        "A service that knows breached passwords and is asked when somebody chooses one: never when they sign in. It \
         is told the first five digits of a SHA-1 hash, as the last part of this address, and answers with what \
         follows them, one a line. While it does not answer, passwords are taken and the log says so.",
        "an `http` or `https` address; `http` only in a network of `outbound.own_networks`",
        "\"https://api.pwnedpasswords.com/range/\"",
    )
    .with_unset_meaning("no service is asked"),
    parse::endpoint,
);

/// The origins that may use the flow API with cookies.
pub static FLOWS_ALLOWED_ORIGINS: ConfigKey<Vec<String>> = ConfigKey::list(
    ConfigKeyEntry::new(
        "flows.allowed_origins",
        "Origins of the same site whose pages may walk through flows by cookie, beside the service's own.",
        "a list of origins: scheme, host and port",
        "[\"https://app.example.com\"]",
    )
    .with_unset_meaning("only pages of the service itself may"),
    parse::origins,
);

/// The URL of a custom sign-in interface, in place of the hosted screens.
pub static FLOWS_INTERACTION_URL: ConfigKey<Url> = ConfigKey::text(
    ConfigKeyEntry::new(
        "flows.interaction_url",
        "Where people are led when a flow needs them and the hosted screens are off: a page of your own, which \
         is given `flow` and walks through it over the API.",
        "an `http` or `https` address",
        "\"https://app.example.com/sign-in\"",
    )
    .with_unset_meaning("people are led nowhere: an authorization request that needs them is answered 401"),
    parse::endpoint,
);

/// The RP ID of passkeys.
pub static WEBAUTHN_RP_ID: ConfigKey<String> = ConfigKey::text(
    ConfigKeyEntry::new(
        "webauthn.rp_id",
        "The domain passkeys are bound to: the host of the base address, or a domain above it that other pages \
         share. It is fixed at the first start, for ever: another one would make every passkey worthless.",
        "a domain name",
        "\"example.com\"",
    )
    .with_unset_meaning("the host of `base_url`"),
    parse::domain,
);

/// The origins that may use passkeys.
pub static WEBAUTHN_ORIGINS: ConfigKey<Vec<String>> = ConfigKey::list(
    ConfigKeyEntry::new(
        "webauthn.origins",
        "Origins whose pages may use passkeys, compared byte for byte. Each must be of the domain passkeys are \
         bound to. Where this is set, the service's own origin has to be among them.",
        "a list of origins: scheme, host and port",
        "[\"https://id.example.com\", \"https://app.example.com\"]",
    )
    .with_unset_meaning("only pages of the service itself may"),
    parse::origins,
);

/// How many time steps late a TOTP code may be.
pub static TOTP_STEPS_LATE: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "totp.steps_late",
        "How many steps of thirty seconds late the digits of an authenticator application may be. Each step \
         works once, whichever this is.",
        "0 or 1",
        "0",
    )
    .with_default("1"),
    |number| parse::integer_in_range(number, 0, 1),
);
