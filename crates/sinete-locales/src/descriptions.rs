//! Descriptions of the built-in permissions, the identity scopes and the claims.

use crate::Language;

impl Language {
    /// What a built-in permission such as `members:read` allows; `None` if it is not built in.
    pub fn describe_permission(self, permission: &str) -> Option<&'static str> {
        self.phrases().permission.find(&permission.replacen(':', "-", 1))
    }

    /// What an identity scope such as `profile` releases; `None` if it is not one.
    pub fn describe_identity_scope(self, scope: &str) -> Option<&'static str> {
        self.phrases().identity_scope.find(scope)
    }

    /// What a claim such as `email` releases; `None` if it is unknown.
    pub fn describe_claim(self, claim: &str) -> Option<&'static str> {
        self.phrases().claim.find(claim)
    }

    /// Whether descriptions are stored in this language, in the API catalog and in the prompts of the flow API.
    /// Readers of other languages get those of the message files, or else the English one.
    pub const fn has_stored_descriptions(self) -> bool {
        matches!(self, Self::English | Self::Portuguese)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_found_by_the_name_of_permission_scope_and_claim() {
        let spanish = Language::Spanish;
        assert_eq!(spanish.describe_permission("members:read"), Some("Ver los miembros"));
        assert_eq!(spanish.describe_permission("invoices:read"), None);
        assert_eq!(spanish.describe_identity_scope("openid"), Some("Saber que eres tú"));
        assert_eq!(spanish.describe_claim("picture"), Some("Ver tu foto"));
        assert_eq!(spanish.describe_claim("unknown"), None);
    }
}
