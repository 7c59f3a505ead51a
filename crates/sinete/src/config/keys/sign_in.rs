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
        "Who may create an account: everyone, or only users who were invited to an organization.",
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
        "Minimum characters of a new password. The only other requirement is that it is not a common or breached one. \
         Fewer than 15 are safe only if every user has a second factor.",
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
        "Memory for hashing one password, in KiB (Argon2id). After a change, a stored hash is renewed at the next \
         sign-in. Less than the default is for tests.",
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
        "Passes over that memory for one password (Argon2id).",
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
        "Passwords that one node hashes concurrently. Four times as many wait, for half a second at most; further ones \
         are answered 503 with `Retry-After`.",
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
        "A list of breached passwords that are refused: SHA-1 hashes in hexadecimal, one on each line, in ascending \
         order, with or without a count after a colon, as such lists are published. It is searched in place, however \
         large, and opened at start-up.",
        "the path of a file",
        "\"/var/lib/sinete/pwned-passwords-sha1-ordered-by-hash.txt\"",
    )
    .with_unset_meaning("no list is used"),
    parse::path,
);

/// A breached password service.
pub static PASSWORDS_BREACHED_SERVICE: ConfigKey<Url> = ConfigKey::text(
    ConfigKeyEntry::new(
        "passwords.breached_service",
        "A service for breached passwords, used when a password is chosen and never at sign-in. It receives the first five \
         digits of a SHA-1 hash as the last part of this URL, and returns the remaining digits, one on each line. \
         While it does not answer, passwords are accepted and a warning is logged.",
        "an `http` or `https` URL; `http` only in a network of `outbound.own_networks`",
        "\"https://api.pwnedpasswords.com/range/\"",
    )
    .with_unset_meaning("no service is used"),
    parse::endpoint,
);

/// The origins that may use the flow API with cookies.
pub static FLOWS_ALLOWED_ORIGINS: ConfigKey<Vec<String>> = ConfigKey::list(
    ConfigKeyEntry::new(
        "flows.allowed_origins",
        "Origins of the same site whose pages may use the authentication flow API with cookies, beside Sinete's own.",
        "a list of origins: scheme, host and port",
        "[\"https://app.example.com\"]",
    )
    .with_unset_meaning("only Sinete's own pages"),
    parse::origins,
);

/// The URL of a custom sign-in interface, in place of the hosted screens.
pub static FLOWS_INTERACTION_URL: ConfigKey<Url> = ConfigKey::text(
    ConfigKeyEntry::new(
        "flows.interaction_url",
        "Your own page for flows, used when the hosted screens are off. It receives `flow` and uses the authentication \
         flow API.",
        "an `http` or `https` URL",
        "\"https://app.example.com/sign-in\"",
    )
    .with_unset_meaning("an authorization request that needs the user is answered 401"),
    parse::endpoint,
);

/// The RP ID of passkeys.
pub static WEBAUTHN_RP_ID: ConfigKey<String> = ConfigKey::text(
    ConfigKeyEntry::new(
        "webauthn.rp_id",
        "The RP ID that passkeys are bound to: the host of `base_url`, or a parent domain of it. It is fixed at the first \
         start: another one would make every passkey useless.",
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
        "Origins whose pages may use passkeys, compared exactly. Each must belong to `webauthn.rp_id`, and Sinete's own \
         origin must be among them.",
        "a list of origins: scheme, host and port",
        "[\"https://id.example.com\", \"https://app.example.com\"]",
    )
    .with_unset_meaning("only Sinete's own pages"),
    parse::origins,
);

/// How many time steps late a TOTP code may be.
pub static TOTP_STEPS_LATE: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "totp.steps_late",
        "How many time steps of 30 seconds late a TOTP code may be. Each step works once in any case.",
        "0 or 1",
        "0",
    )
    .with_default("1"),
    |number| parse::integer_in_range(number, 0, 1),
);
