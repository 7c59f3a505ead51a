//! What makes a client a member of its organization, and which roles it carries there.

use crate::managing::Managing;
use crate::members::Member;
use crate::{Engine, Failed, granting};
use sinete_core::client::ClientId;
use sinete_core::id::{MembershipId, RoleId};
use sinete_core::people::Condition;
use sinete_core::refusal::Refusal;
use sinete_store::memberships::{Holder, Membership, NewMembership};
use sinete_store::{Document, FIRST_VERSION, Step, memberships};

/// A change of what a client is in its organization.
#[derive(Debug, Default)]
pub(super) struct Joining {
    /// What the organization must still be like.
    pub(super) guard: Vec<Step>,
    /// What makes the change, once the client is there.
    pub(super) steps: Vec<Step>,
    /// The roles that are carried then, by name.
    pub(super) names: Vec<String>,
    /// What the client is then, so that nobody has to ask afterwards.
    pub(super) member: Option<Member>,
}

/// What makes a client a member with these roles; nothing where there are none.
pub(super) async fn first(
    engine: &Engine,
    managing: Managing<'_>,
    client: &ClientId,
    roles: &[RoleId],
) -> Result<Result<Joining, Refusal>, Failed> {
    let acting = match managing {
        Managing::Organization(acting) if !roles.is_empty() => acting,
        Managing::Organization(_) | Managing::Instance(_) => return Ok(Ok(Joining::default())),
    };
    let id = MembershipId::mint(acting.now(), engine.entropy());
    let granted = match granting::first(engine, acting, id, roles).await? {
        Ok(granted) => granted,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let (holder, profile) = (Holder::Machine(client.clone()), Document::of(&serde_json::Map::new())?);
    let made = memberships::create(&NewMembership {
        id,
        organization: acting.organization.id,
        holder: &holder,
        profile: &profile,
        external_id: None,
        created_at: acting.now(),
    });
    let membership = Membership {
        id,
        organization: acting.organization.id,
        holder,
        condition: Condition::Enabled,
        profile,
        external_id: None,
        created_at: acting.now(),
        version: FIRST_VERSION,
    };
    Ok(Ok(Joining {
        guard: granted.guard,
        steps: std::iter::once(made).chain(granted.steps).collect(),
        names: granted.names,
        member: Some(Member { membership, roles: granted.roles }),
    }))
}

/// What gives a client these roles, whether it is a member already or becomes one.
pub(super) async fn change(
    engine: &Engine,
    managing: Managing<'_>,
    client: &ClientId,
    member: Option<&Member>,
    roles: Option<&[RoleId]>,
) -> Result<Result<Joining, Refusal>, Failed> {
    match (managing, member, roles) {
        (Managing::Organization(acting), Some(member), Some(roles)) => {
            let granted = granting::change(engine, acting, member, roles).await?;
            Ok(granted.map(|granted| {
                let version = member.membership.version + 1;
                let membership = Membership { version, ..member.membership.clone() };
                Joining {
                    guard: granted.guard,
                    steps: granted.steps,
                    names: granted.names,
                    member: Some(Member { membership, roles: granted.roles }),
                }
            }))
        }
        (_, Some(member), _) => Ok(Ok(Joining { member: Some(member.clone()), ..Joining::default() })),
        (_, None, roles) => first(engine, managing, client, roles.unwrap_or_default()).await,
    }
}
