//! Digests of a removed or disabled member's identifiers: enough to recognize them if an identity provider
//! presents them as new, but not readable.

use crate::secret::Digest;

/// An identifier of a former member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormerMemberIdentifier<'a> {
    /// An e-mail address in its lookup form.
    Email(&'a str),
    /// The directory's external id.
    ExternalId(&'a str),
    /// An identity at an identity provider.
    Identity {
        /// The identity provider.
        provider: &'a str,
        /// The subject at that provider.
        subject: &'a str,
    },
}

/// The digest type of a former member's identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormerMemberKey {}

impl FormerMemberIdentifier<'_> {
    /// The stored digest, unique to this identifier.
    pub fn digest(&self) -> Digest<FormerMemberKey> {
        match self {
            Self::Email(lookup) => Digest::from_parts(&[b"address", lookup.as_bytes()]),
            Self::ExternalId(name) => Digest::from_parts(&[b"external id", name.as_bytes()]),
            Self::Identity { provider, subject } => {
                Digest::from_parts(&[b"identity", provider.as_bytes(), subject.as_bytes()])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_member_digests_of_different_kinds_never_match() {
        let traces = [
            FormerMemberIdentifier::Email("ana@acme.example"),
            FormerMemberIdentifier::ExternalId("ana@acme.example"),
            FormerMemberIdentifier::Identity { provider: "ana", subject: "@acme.example" },
            FormerMemberIdentifier::Identity { provider: "ana@", subject: "acme.example" },
        ];
        for (index, one) in traces.iter().enumerate() {
            for other in &traces[index + 1..] {
                assert_ne!(one.digest().as_bytes(), other.digest().as_bytes(), "{one:?} {other:?}");
            }
            assert_eq!(one.digest().as_bytes(), one.digest().as_bytes());
        }
    }
}
