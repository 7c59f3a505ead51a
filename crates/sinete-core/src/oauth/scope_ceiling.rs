//! The maximum that a client may request, before the user's permissions and consent narrow it
//! (docs/contribute/decisions/0269-scope-ceiling-of-self-registered-clients.md), and how a refused scope is
//! named in an error.

use crate::access_control::permission::PermissionSet;
use crate::access_control::permission_catalog::is_built_in_resource;
use crate::access_control::scope::{IdentityScope, Scope, ScopeSet};
use std::fmt::Display;

/// The scopes that a client may request.
#[derive(Clone, Copy, Debug)]
pub enum ScopeCeiling<'a> {
    /// The allowed scopes.
    Registered {
        /// The scopes.
        scope: &'a ScopeSet,
        /// Whether `offline_access` may be requested beside them.
        offline_access: bool,
    },
    /// No limit of the client's own. Permissions of this service are never included.
    Consent,
}

impl<'a> ScopeCeiling<'a> {
    /// A ceiling of exactly these scopes.
    pub const fn exactly(scope: &'a ScopeSet) -> Self {
        Self::Registered { scope, offline_access: false }
    }

    /// The first requested scope above the ceiling.
    pub fn find_excess(&self, scopes: &ScopeSet) -> Option<Scope> {
        match *self {
            Self::Registered { scope, offline_access } => {
                let is_free =
                    |it: &Scope| offline_access && *it == Scope::Identity(IdentityScope::OfflineAccess);
                scopes.iter().find(|it| !scope.covers(it) && !is_free(it)).cloned()
            }
            Self::Consent => {
                let is_above = |it: &&Scope| match it {
                    Scope::Identity(_) => false,
                    Scope::Permission(permission) => is_built_in_resource(permission.resource()),
                };
                scopes.iter().find(is_above).cloned()
            }
        }
    }

    /// Whether all requested scopes are below the ceiling.
    pub fn covers(&self, scopes: &ScopeSet) -> bool {
        self.find_excess(scopes).is_none()
    }

    /// Whether the client may request the claims of this scope by name; `None` for claims that need no scope.
    pub fn covers_claims_of(&self, claims_scope: Option<IdentityScope>) -> bool {
        match self {
            Self::Registered { scope, .. } => claims_scope.is_none_or(|it| scope.contains(it)),
            Self::Consent => true,
        }
    }

    /// The sentence about a scope above the ceiling: it names the scope and what would be accepted.
    pub fn describe_excess(&self, excess: &Scope) -> String {
        let excess = quote_scope(&excess.to_string()).into_owned();
        match self {
            Self::Registered { scope, .. } => {
                format!(
                    "The scope {excess} exceeds what the client registered. Accepted: {}.",
                    list_scopes(scope)
                )
            }
            Self::Consent => format!(
                "The scope {excess} is a permission of this service, which this client may not request. Accepted: \
                 identity scopes and permissions of an API."
            ),
        }
    }
}

/// The sentence about a scope parameter that cannot be parsed.
pub fn describe_invalid_scope(text: &str) -> String {
    match text.split(' ').find(|word| word.parse::<Scope>().is_err()) {
        Some(word) => format!(
            "The scope contains {}, which is not known. Accepted: {}, and permissions such as invoices:read, with \
             single spaces between.",
            quote_scope(word),
            IdentityScope::ALL.map(IdentityScope::as_str).join(" ")
        ),
        None => "The scope contains too many values. Send fewer.".to_owned(),
    }
}

/// The sentence about permissions that the user does not hold. It names what was requested and nothing else.
pub fn describe_missing_permissions(permissions: &PermissionSet) -> String {
    format!(
        "The scope contains {}, which this user cannot grant in this organization. Leave it out, or give the user \
         a role that has it.",
        format_list(permissions.iter())
    )
}

/// A scope as it is quoted in an error: only characters that cannot form a sentence or markup.
pub fn quote_scope(word: &str) -> std::borrow::Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:*-/".contains(&byte);
    if (1..=QUOTED_SCOPE_CHARACTERS_MAX).contains(&word.len()) && word.bytes().all(is_plain) {
        word.into()
    } else {
        "a word".into()
    }
}

/// The scopes as one text of bounded length.
pub fn list_scopes(scopes: &ScopeSet) -> String {
    format_list(scopes.iter())
}

fn format_list<T: Display>(words: impl Iterator<Item = T>) -> String {
    let words: Vec<String> = words.map(|word| word.to_string()).collect();
    let listed_words = words.iter().take(LISTED_SCOPES_MAX).cloned().collect::<Vec<_>>().join(" ");
    match words.len() {
        0 => "none".to_owned(),
        count if count > LISTED_SCOPES_MAX => {
            format!("{listed_words} and {} more", count - LISTED_SCOPES_MAX)
        }
        _ => listed_words,
    }
}

/// The longest scope that an error quotes.
const QUOTED_SCOPE_CHARACTERS_MAX: usize = 80;
/// Maximum scopes that an error lists.
const LISTED_SCOPES_MAX: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scope_errors_name_the_scope_and_never_quote_an_invalid_one() {
        assert!(
            describe_invalid_scope("openid mcp").starts_with("The scope contains mcp, which is not known")
        );
        for text in
            ["openid call%20us", "openid \u{e9}t\u{e9}", "openid <b>", &"x".repeat(81), "openid  email"]
        {
            let description = describe_invalid_scope(text);
            assert!(
                description.starts_with("The scope contains a word, which") && description.is_ascii(),
                "{description}"
            );
        }
        let many: ScopeSet =
            (0..20).map(|it| format!("files:a{it}")).collect::<Vec<_>>().join(" ").parse().unwrap();
        assert!(list_scopes(&many).ends_with("and 4 more"));
    }
}
