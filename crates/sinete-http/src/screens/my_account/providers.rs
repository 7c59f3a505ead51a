//! The providers of the person's organizations that know who they are, and those that could, as their own page lists them.

use sinete_engine::account::identities::{Linkable, Shown};
use sinete_screens::moment::Moment;
use sinete_screens::my_account::{Link, Provider};

/// A provider, in words.
pub(super) enum Providing {
    /// It knows the person.
    Known { id: String, name: String, since: Moment, is_usable: bool },
    /// It could.
    Possible { connection: String, name: String, organization: String },
}

/// Those that know the person, then those that could.
pub(super) fn all(linked: &[Shown], linkable: &[Linkable]) -> Vec<Providing> {
    let known = linked.iter().map(|shown| Providing::Known {
        id: shown.id.clone(),
        name: host(&shown.issuer).to_owned(),
        since: Moment(shown.created_at.seconds()),
        is_usable: shown.is_usable,
    });
    let possible = linkable.iter().map(|linkable| Providing::Possible {
        connection: linkable.connection.id.to_string(),
        name: linkable.connection.chosen.name.clone(),
        organization: linkable.organization.clone(),
    });
    known.chain(possible).collect()
}

/// Who a provider is, without how it is reached.
fn host(issuer: &str) -> &str {
    issuer.split_once("://").map_or(issuer, |(_, rest)| rest).trim_end_matches('/')
}

impl Providing {
    pub(super) fn view(&self) -> Provider<'_> {
        match self {
            Self::Known { id, name, since, is_usable: true } => {
                Provider { name, link: Link::Linked { id, since: *since } }
            }
            Self::Known { id, name, since, is_usable: false } => {
                Provider { name, link: Link::Unusable { id, since: *since } }
            }
            Self::Possible { connection, name, organization } => {
                Provider { name, link: Link::Possible { connection, organization } }
            }
        }
    }
}
