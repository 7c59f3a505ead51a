//! The closed list of reasons for which a request is refused.

use super::RefusalCode;
use super::access::AccessRefusal;
use super::accounts::AccountRefusal;
use super::administration::AdministrationRefusal;
use super::authzen::AuthZenRefusal;
use super::events::EventRefusal;
use super::identity_providers::IdentityProviderRefusal;
use super::oauth::OAuthRefusal;
use super::organizations::OrganizationRefusal;
use super::request::RequestRefusal;
use super::scim::ScimRefusal;
use super::sign_in::SignInRefusal;
use std::borrow::Cow;

/// Declares the reasons of one capability: the general error code, the name in the problem `type`, and the
/// sentence that the caller reads: what is wrong, then what to do. A reason may carry one text, which its sentence
/// repeats in braces; an example of that text is for the reference.
macro_rules! refusal_reasons {
    (
        $(#[$doc:meta])*
        $reasons:ident {
            $($reason:ident $(($data:ident: $type:ty, $example:literal))? = $code:ident, $name:literal, $sentence:literal;)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $reasons {
            $(#[doc = $sentence] $reason $(($type))?,)*
        }

        impl $reasons {
            /// Every reason; the text that a reason carries is its example.
            pub(super) const ALL: &[Self] = &[$(Self::$reason $(($example))?),*];

            pub(super) const fn has_text(self) -> bool {
                match self {
                    $(Self::$reason { .. } => $crate::refusal::reason::has_text!($($data)?),)*
                }
            }

            pub(super) const fn code(self) -> $crate::refusal::RefusalCode {
                match self {
                    $(Self::$reason { .. } => $crate::refusal::RefusalCode::$code,)*
                }
            }

            pub(super) const fn name(self) -> &'static str {
                match self {
                    $(Self::$reason { .. } => $name,)*
                }
            }

            pub(super) fn sentence(self) -> std::borrow::Cow<'static, str> {
                match self {
                    $(Self::$reason $(($data))? => {
                        $crate::refusal::reason::sentence!($sentence $(, $data)?)
                    })*
                }
            }
        }
    };
}

macro_rules! sentence {
    ($sentence:literal) => {
        std::borrow::Cow::Borrowed($sentence)
    };
    ($sentence:literal, $data:ident) => {
        std::borrow::Cow::Owned(format!($sentence))
    };
}

macro_rules! has_text {
    () => {
        false
    };
    ($data:ident) => {
        true
    };
}

pub(super) use {has_text, refusal_reasons, sentence};

macro_rules! capabilities {
    ($($capability:ident($reasons:ident) = $area:literal,)*) => {
        /// Why a request is refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum RefusalReason {
            $(#[doc = concat!("A reason of [`", stringify!($reasons), "`].")] $capability($reasons),)*
        }

        impl RefusalReason {
            /// Every reason there is, by capability.
            pub fn all() -> impl Iterator<Item = Self> {
                let none = std::iter::empty();
                none$(.chain($reasons::ALL.iter().copied().map(Self::$capability)))*
            }

            /// The heading of its part of the reference.
            pub const fn area(self) -> &'static str {
                match self {
                    $(Self::$capability(_) => $area,)*
                }
            }

            /// The general error code.
            pub const fn code(self) -> RefusalCode {
                match self {
                    $(Self::$capability(reason) => reason.code(),)*
                }
            }

            /// The name in the problem `type`. It does not change once it was published.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$capability(reason) => reason.name(),)*
                }
            }

            /// Whether the sentence has a text that differs from case to case.
            pub const fn has_text(self) -> bool {
                match self {
                    $(Self::$capability(reason) => reason.has_text(),)*
                }
            }

            /// The sentence for the caller: what is wrong and what to do. Plain ASCII without quotation marks,
            /// as `error_description` demands (RFC 6749 section 5.2).
            pub fn sentence(self) -> Cow<'static, str> {
                match self {
                    $(Self::$capability(reason) => reason.sentence(),)*
                }
            }
        }

        $(impl From<$reasons> for RefusalReason {
            fn from(reason: $reasons) -> Self {
                Self::$capability(reason)
            }
        })*
    };
}

capabilities! {
    Request(RequestRefusal) = "Requests",
    Access(AccessRefusal) = "Authentication and permissions",
    OAuth(OAuthRefusal) = "OAuth and OpenID Connect",
    SignIn(SignInRefusal) = "Sign-in and flows",
    Accounts(AccountRefusal) = "Accounts",
    Organizations(OrganizationRefusal) = "Organizations",
    IdentityProviders(IdentityProviderRefusal) = "Identity providers",
    Scim(ScimRefusal) = "SCIM",
    AuthZen(AuthZenRefusal) = "AuthZEN",
    Events(EventRefusal) = "Events and webhooks",
    Administration(AdministrationRefusal) = "Administration",
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn refusal_reasons_have_unique_names_in_snake_case() {
        let names: Vec<_> = RefusalReason::all().map(RefusalReason::name).collect();
        let unique: BTreeSet<_> = names.iter().collect();
        assert_eq!(unique.len(), names.len());
        assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')));
    }

    #[test]
    fn refusal_sentences_have_a_cause_and_a_fix() {
        for reason in RefusalReason::all() {
            let sentence = reason.sentence();
            let is_field_text =
                reason == RefusalReason::Scim(ScimRefusal::ValueInvalid("must be a boolean: true or false"));
            assert!(is_field_text || sentence.contains(". ") && sentence.ends_with(['.', ')']), "{sentence}");
        }
    }

    #[test]
    fn refusal_sentences_fit_into_an_error_description() {
        for reason in RefusalReason::all() {
            let sentence = reason.sentence();
            assert!(
                sentence.bytes().all(|byte| matches!(byte, 0x20..=0x7e) && byte != b'"' && byte != b'\\')
            );
            assert!(!sentence.contains("  "), "{sentence}");
        }
    }
}
