//! An application, in words, and what stands in the fields of its form.

use super::super::Work;
use super::super::members::{Choice, name_of};
use crate::reply::Declined;
use sinete_core::client::ClientKind;
use sinete_core::client::metadata::{ClientMetadata, GrantType};
use sinete_core::id::MembershipId;
use sinete_core::people::Condition;
use sinete_engine::Failed;
use sinete_engine::clients::{Client, Shown};
use sinete_engine::members::{self, Offered};
use sinete_screens::console::applications::{Application, Fields, GRANTS, Kind};
use sinete_screens::console::member::RoleChoice;

/// An application, in words.
pub(super) struct Seen {
    id: String,
    name: String,
    purpose: String,
    kind: Kind,
    off: bool,
    vouched: bool,
    pub(super) metadata: ClientMetadata,
}

impl Seen {
    pub(super) fn of(client: &Client) -> Result<Self, Declined> {
        Ok(Self {
            id: client.id.to_string(),
            name: client.name.clone(),
            purpose: client.purpose.clone(),
            kind: match client.kind {
                ClientKind::Application => Kind::Application,
                ClientKind::Service => Kind::Service,
                ClientKind::Agent => Kind::Agent,
            },
            off: client.condition != Condition::Enabled,
            vouched: client.verified_at.is_some(),
            metadata: client.metadata.read().map_err(Failed::from)?,
        })
    }

    pub(super) fn line(&self) -> Application<'_> {
        let Self { id, name, purpose, kind, off, vouched, .. } = self;
        Application { id, name, purpose, kind: *kind, off: *off, vouched: *vouched }
    }
}

/// Who answers for an agent, by id and name, as far as the person may know.
pub(super) async fn owner(
    work: &Work<'_>,
    owner: Option<MembershipId>,
) -> Result<Option<(String, String)>, Declined> {
    let Some(owner) = owner else { return Ok(None) };
    let known = members::known(work.engine(), work.at.acting(), &[owner]).await?.unwrap_or_default();
    let name = known.first().map(|(membership, address)| {
        let name = name_of(membership)?;
        Ok::<_, Declined>(if name.is_empty() { address.clone().unwrap_or_default() } else { name })
    });
    Ok(Some((owner.to_string(), name.transpose()?.unwrap_or_default())))
}

/// What stands in the fields of a form: what was typed where it was not done, or else how things are.
pub(super) struct Filled {
    name: String,
    purpose: String,
    redirects: String,
    proof: String,
    keys: String,
    grants: Vec<&'static str>,
    scope: String,
    roles: Vec<Choice>,
}

impl Filled {
    /// Of an application that is not there yet.
    pub(super) async fn new(work: &Work<'_>) -> Result<Self, Declined> {
        let offered: Vec<Offered> = offered(work).await?.into_iter().filter(|it| it.can_be_given).collect();
        let usual = ["code", "refresh"];
        let ticked = |it: &Offered| Choice::is_ticked(work, "register", it.role.id).unwrap_or(false);
        Ok(Self {
            name: String::new(),
            purpose: String::new(),
            redirects: String::new(),
            proof: "client_secret_basic".to_owned(),
            keys: String::new(),
            grants: grants(work, "register", |name| usual.contains(&name)),
            scope: "openid profile email".to_owned(),
            roles: offered.iter().map(|it| Choice::of(work, it, ticked(it), true)).collect(),
        }
        .typed(work, "register"))
    }

    /// Of one that is there.
    pub(super) async fn of(
        work: &Work<'_>,
        shown: &Shown,
        metadata: &ClientMetadata,
    ) -> Result<Self, Declined> {
        let carries = |it: &Offered| {
            shown.member.as_ref().is_some_and(|member| member.roles.iter().any(|role| role.id == it.role.id))
        };
        let choice = |it: &Offered| {
            let (carried, ticked) = (carries(it), Choice::is_ticked(work, "change", it.role.id));
            let free = carried || it.can_be_given;
            Choice::of(work, it, ticked.filter(|_| free).unwrap_or(carried), free)
        };
        let held = metadata.grants();
        let wire: Vec<&str> = held.iter().copied().map(GrantType::as_str).collect();
        let has = |name: &str| GRANTS.iter().any(|it| it.name == name && wire.contains(&it.wire));
        let addresses: Vec<&str> = metadata.redirect_uris.iter().map(|it| it.as_str()).collect();
        Ok(Self {
            name: shown.client.name.clone(),
            purpose: shown.client.purpose.clone(),
            redirects: addresses.join("\n"),
            proof: metadata.token_endpoint_auth_method.as_str().to_owned(),
            keys: metadata.jwks_uri.clone().unwrap_or_default(),
            grants: grants(work, "change", has),
            scope: metadata.scope.as_ref().map(ToString::to_string).unwrap_or_default(),
            roles: offered(work).await?.iter().map(choice).collect(),
        }
        .typed(work, "change"))
    }

    /// The same with what was typed into this form, where it was not done.
    fn typed(mut self, work: &Work<'_>, form: &str) -> Self {
        let Some(left) = work.left.as_ref().filter(|left| left.is_of(form)) else { return self };
        let Self { name, purpose, redirects, proof, keys, scope, .. } = &mut self;
        let fields = [
            ("name", name),
            ("purpose", purpose),
            ("redirects", redirects),
            ("proof", proof),
            ("keys", keys),
            ("scope", scope),
        ];
        for (field, value) in fields {
            if let Some(typed) = left.field(field) {
                typed.clone_into(value);
            }
        }
        self
    }

    pub(super) fn roles(&self) -> Vec<RoleChoice<'_>> {
        self.roles.iter().map(Choice::view).collect()
    }

    pub(super) fn grants(&self) -> Vec<&str> {
        self.grants.clone()
    }

    pub(super) fn view<'a>(&'a self, roles: &'a [RoleChoice<'a>], grants: &'a [&'a str]) -> Fields<'a> {
        let Self { name, purpose, redirects, proof, keys, scope, .. } = self;
        Fields { name, purpose, redirects, proof, keys, scope, grants, roles }
    }
}

/// The roles there are, where the person may see them.
async fn offered(work: &Work<'_>) -> Result<Vec<Offered>, Declined> {
    Ok(members::offered_roles(work.engine(), work.at.acting()).await?.unwrap_or_default())
}

/// The ways of getting tokens that are ticked in this form.
fn grants(work: &Work<'_>, form: &str, usual: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let ticked = |name: &str| work.left.as_ref()?.ticked(form, &format!("grant.{name}"));
    let names = GRANTS.iter().map(|grant| grant.name);
    names.filter(|name| ticked(name).unwrap_or_else(|| usual(name))).collect()
}
