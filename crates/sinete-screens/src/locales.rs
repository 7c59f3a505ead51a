//! All phrases of all screens in both languages. A phrase that lacks one of them does not compile. `{}` marks
//! a placeholder.

mod api_keys;
mod applications;
mod audit_log;
mod built_in_roles;
mod ciba;
mod connections;
mod consent;
mod console;
mod credentials;
mod device_authorization;
mod domains;
mod event_kinds;
mod form_errors;
mod my_account;
mod page_frame;
mod roles;
mod sign_in;
mod sign_up;
mod webhooks;

pub use api_keys::KeyWords;
pub use applications::ApplicationWords;
pub use audit_log::TrailWords;
pub use built_in_roles::RoleWords;
pub use ciba::ApprovalWords;
pub use connections::ConnectionWords;
pub use consent::ConsentWords;
pub use console::{ConsoleWords, OutcomeWords};
pub use credentials::CredentialWords;
pub use device_authorization::DeviceWords;
pub use domains::DomainWords;
pub use event_kinds::{EVENT_KINDS as EVERYTHING_THAT_HAPPENS, EventKindLabel, find_event_kind};
pub use form_errors::TroubleWords;
pub use my_account::{AccountWords, EventWords};
pub use page_frame::{DevMailWords, FrameWords, LandingWords, MessageWords, MonthWords};
pub use roles::ConferringWords;
pub use sign_in::SignInWords;
pub use sign_up::SignUpWords;
pub use webhooks::WebhookWords;

use crate::language::UiLanguage;

/// The phrases of one language, grouped by page.
#[derive(Debug)]
pub struct LocalePhrases {
    /// The frame of every page.
    pub frame: FrameWords,
    /// The landing page.
    pub landing: LandingWords,
    /// Message pages.
    pub messages: MessageWords,
    /// The mailbox of a development instance.
    pub dev_mail: DevMailWords,
    /// The names of the months.
    pub months: MonthWords,
    /// Sign-in, step-up and second factors.
    pub sign_in: SignInWords,
    /// Sign-up, invitations and the first operator.
    pub sign_up: SignUpWords,
    /// Passwords, passkeys and authenticator apps.
    pub credentials: CredentialWords,
    /// The consent page.
    pub consent: ConsentWords,
    /// Device authorization.
    pub device: DeviceWords,
    /// CIBA approval.
    pub approval: ApprovalWords,
    /// The account page.
    pub account: AccountWords,
    /// The names of the built-in roles.
    pub roles: RoleWords,
    /// The console.
    pub console: ConsoleWords,
    /// API keys on the console.
    pub keys: KeyWords,
    /// Roles on the console.
    pub conferring: ConferringWords,
    /// Applications on the console.
    pub applications: ApplicationWords,
    /// Domains on the console.
    pub domains: DomainWords,
    /// Connections on the console.
    pub connections: ConnectionWords,
    /// Webhooks on the console.
    pub webhooks: WebhookWords,
    /// The audit log on the console.
    pub trail: TrailWords,
    /// The results of console forms.
    pub outcomes: OutcomeWords,
    /// Account activity, as shown to the account holder.
    pub events: EventWords,
    /// Form errors.
    pub trouble: TroubleWords,
}

impl UiLanguage {
    /// The phrases in this language.
    pub const fn words(self) -> &'static LocalePhrases {
        match self {
            Self::English => &ENGLISH,
            Self::Portuguese => &PORTUGUESE,
        }
    }
}

/// English.
pub const ENGLISH: LocalePhrases = LocalePhrases {
    frame: FrameWords::ENGLISH,
    landing: LandingWords::ENGLISH,
    messages: MessageWords::ENGLISH,
    dev_mail: DevMailWords::ENGLISH,
    months: MonthWords::ENGLISH,
    sign_in: SignInWords::ENGLISH,
    sign_up: SignUpWords::ENGLISH,
    credentials: CredentialWords::ENGLISH,
    consent: ConsentWords::ENGLISH,
    device: DeviceWords::ENGLISH,
    approval: ApprovalWords::ENGLISH,
    account: AccountWords::ENGLISH,
    roles: RoleWords::ENGLISH,
    console: ConsoleWords::ENGLISH,
    keys: KeyWords::ENGLISH,
    conferring: ConferringWords::ENGLISH,
    applications: ApplicationWords::ENGLISH,
    domains: DomainWords::ENGLISH,
    connections: ConnectionWords::ENGLISH,
    webhooks: WebhookWords::ENGLISH,
    trail: TrailWords::ENGLISH,
    outcomes: OutcomeWords::ENGLISH,
    events: EventWords::ENGLISH,
    trouble: TroubleWords::ENGLISH,
};

/// Brazilian Portuguese.
pub const PORTUGUESE: LocalePhrases = LocalePhrases {
    frame: FrameWords::PORTUGUESE,
    landing: LandingWords::PORTUGUESE,
    messages: MessageWords::PORTUGUESE,
    dev_mail: DevMailWords::PORTUGUESE,
    months: MonthWords::PORTUGUESE,
    sign_in: SignInWords::PORTUGUESE,
    sign_up: SignUpWords::PORTUGUESE,
    credentials: CredentialWords::PORTUGUESE,
    consent: ConsentWords::PORTUGUESE,
    device: DeviceWords::PORTUGUESE,
    approval: ApprovalWords::PORTUGUESE,
    account: AccountWords::PORTUGUESE,
    roles: RoleWords::PORTUGUESE,
    console: ConsoleWords::PORTUGUESE,
    keys: KeyWords::PORTUGUESE,
    conferring: ConferringWords::PORTUGUESE,
    applications: ApplicationWords::PORTUGUESE,
    domains: DomainWords::PORTUGUESE,
    connections: ConnectionWords::PORTUGUESE,
    webhooks: WebhookWords::PORTUGUESE,
    trail: TrailWords::PORTUGUESE,
    outcomes: OutcomeWords::PORTUGUESE,
    events: EventWords::PORTUGUESE,
    trouble: TroubleWords::PORTUGUESE,
};

/// Declares a group of phrases: each line is a name, the English and the Portuguese text.
macro_rules! phrases {
    ($(#[$about:meta])* $name:ident { $($phrase:ident: $english:literal, $portuguese:literal;)+ }) => {
        $(#[$about])*
        #[derive(Debug)]
        pub struct $name {
            $(#[doc = $english] pub $phrase: &'static str,)+
        }

        impl $name {
            /// In English.
            pub const ENGLISH: Self = Self { $($phrase: $english,)+ };
            /// In Portuguese.
            pub const PORTUGUESE: Self = Self { $($phrase: $portuguese,)+ };
        }
    };
}
use phrases;

/// Replaces `{}` in a phrase with the value.
pub fn with_value(phrase: &str, value: impl std::fmt::Display) -> String {
    format!("{}{value}{}", before_value(phrase), after_value(phrase))
}

/// The text before the placeholder.
pub fn before_value(phrase: &str) -> &str {
    phrase.split_once("{}").map_or(phrase, |(before, _)| before)
}

/// The text after the placeholder.
pub fn after_value(phrase: &str) -> &str {
    phrase.split_once("{}").map_or("", |(_, after)| after)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Phrases that are intentionally the same in both languages.
    const SAME: [&str; 2] = ["Sinete", "Token"];

    fn phrases(words: &LocalePhrases) -> Vec<String> {
        format!("{words:?}").split('"').skip(1).step_by(2).map(str::to_owned).collect()
    }

    #[test]
    fn locale_phrases_are_complete_and_translated() {
        let (english, portuguese) = (phrases(&ENGLISH), phrases(&PORTUGUESE));
        assert!(english.len() > 200 && english.len() == portuguese.len());
        for (one, other) in english.iter().zip(&portuguese) {
            assert!(!one.is_empty() && !other.is_empty(), "{one} {other}");
            assert!(one != other || SAME.contains(&one.as_str()), "{one}");
        }
    }

    #[test]
    fn locale_phrases_have_the_same_placeholders() {
        for (one, other) in phrases(&ENGLISH).iter().zip(&phrases(&PORTUGUESE)) {
            let places = |text: &str| text.matches("{}").count();
            assert!(places(one) <= 1 && places(one) == places(other), "{one} / {other}");
            assert!(!one.contains('\'') && !other.contains('\''), "a straight apostrophe: {one} / {other}");
        }
        assert_eq!(with_value("to {}, at once", "Ana"), "to Ana, at once");
        assert_eq!(with_value("to nobody", "Ana"), "to nobodyAna");
    }
}
