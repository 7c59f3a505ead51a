//! What somebody leaves behind in an organization that removed them or switched them off: just enough to know them again
//! when a provider brings them as somebody new, and nothing that could be read.

use crate::secret::Digest;

/// Something an organization knows somebody by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormerMemberIdentifier<'a> {
    /// An address, in the form in which addresses are compared.
    Address(&'a str),
    /// What a directory knows them by.
    ExternalId(&'a str),
    /// A provider, and who it says they are.
    Identity {
        /// The provider.
        provider: &'a str,
        /// Who it says they are.
        subject: &'a str,
    },
}

/// What is kept of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormerMember {}

impl FormerMemberIdentifier<'_> {
    /// What is kept of it: the same for the same trace, and for no other.
    pub fn digest(&self) -> Digest<FormerMember> {
        match self {
            Self::Address(lookup) => Digest::from_parts(&[b"address", lookup.as_bytes()]),
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
    fn former_member_traces_of_different_kinds_never_match() {
        let traces = [
            FormerMemberIdentifier::Address("ana@acme.example"),
            FormerMemberIdentifier::ExternalId("ana@acme.example"),
            FormerMemberIdentifier::Identity { provider: "ana", subject: "@acme.example" },
            FormerMemberIdentifier::Identity { provider: "ana@", subject: "acme.example" },
        ];
        for (place, one) in traces.iter().enumerate() {
            for other in &traces[place + 1..] {
                assert_ne!(one.digest().as_bytes(), other.digest().as_bytes(), "{one:?} {other:?}");
            }
            assert_eq!(one.digest().as_bytes(), one.digest().as_bytes());
        }
    }
}
