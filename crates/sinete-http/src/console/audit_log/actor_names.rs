//! The names of the actors and subjects of audit log entries, as far as the user may see them.

use crate::console::members::{member_address, member_name};
use crate::console::page_context::PageContext;
use sinete_core::id::MembershipId;
use sinete_engine::UseCaseResult;
use sinete_engine::events::audit_log;
use sinete_engine::events::audit_log::AuditLogEntry;
use sinete_engine::events::audit_log::names::AuditLogNames;
use sinete_engine::organizations::members;
use sinete_screens::console::audit_log::{AuditLogParty, PartyRelation};
use sinete_server::reply::HandlerError;

/// The names of members in the entries.
pub(super) struct ActorNames {
    viewer_membership: MembershipId,
    member_names: Vec<(String, String)>,
    /// The current and former members of the organization among them.
    own_members: Vec<MembershipId>,
    /// Whether the user may see members.
    are_visible: bool,
    /// The names of applications, connections, domains and API keys.
    pub(super) other_names: AuditLogNames,
}

impl ActorNames {
    pub(super) async fn load(
        context: &PageContext<'_>,
        entries: &[AuditLogEntry],
        actor: Option<&str>,
    ) -> Result<Self, HandlerError> {
        let actors = entries.iter().map(|it| (Some(it.actor_kind.as_str()), it.actor_id.as_deref()));
        let subjects = entries.iter().map(|it| (it.subject_kind.as_deref(), it.subject_id.as_deref()));
        let members = actors.chain(subjects).filter(|(kind, _)| *kind == Some("membership"));
        let ids = members.filter_map(|(_, id)| id).chain(actor);
        let mut ids: Vec<MembershipId> = ids.filter_map(|id| id.parse().ok()).collect();
        ids.sort_unstable();
        ids.dedup();
        let result =
            members::list_existing(context.engine(), context.access.organization_access(), &ids).await;
        let member_rows = result.unless_refused()?;
        let are_visible = member_rows.is_some();
        let own_members = audit_log::filter_organization_members(
            context.engine(),
            context.access.organization_access(),
            &ids,
        )
        .await?;
        let name = |(membership, address): (members::MembershipRow, Option<String>)| {
            let name = member_name(&membership)?;
            let name = if name.is_empty() { member_address(&membership, address)? } else { name };
            Ok((membership.id.to_string(), name))
        };
        let member_names: Result<_, HandlerError> =
            member_rows.unwrap_or_default().into_iter().map(name).collect();
        Ok(Self {
            viewer_membership: context.access.membership,
            member_names: member_names?,
            own_members,
            are_visible,
            other_names: audit_log::load_names(
                context.engine(),
                context.access.organization_access(),
                entries,
            )
            .await?,
        })
    }

    pub(super) fn find_party<'a>(&'a self, kind: &'a str, id: Option<&'a str>) -> AuditLogParty<'a> {
        let id = id.unwrap_or_default();
        let member = self.member_names.iter().find(|(member_id, _)| member_id == id && kind == "membership");
        let is_own_member = id.parse().is_ok_and(|id| self.own_members.contains(&id));
        let party_relation = match (member, is_own_member) {
            (Some(_), _) => PartyRelation::Member,
            (None, false) => PartyRelation::NeverMember,
            (None, true) if self.are_visible => PartyRelation::FormerMember,
            (None, true) => PartyRelation::HiddenMember,
        };
        let name = match kind {
            "membership" => member.map_or("", |(_, name)| name.as_str()),
            _ => self.other_names.find(kind, Some(id)).unwrap_or_default(),
        };
        AuditLogParty {
            kind,
            id,
            name,
            is_self: id.parse() == Ok(self.viewer_membership),
            relation: party_relation,
        }
    }

    /// The label of an actor that is not listed.
    pub(super) fn actor_kind_label(&self, id: Option<&str>) -> &'static str {
        let is_member = self.member_names.iter().any(|(member_id, _)| Some(member_id.as_str()) == id);
        if is_member { "membership" } else { "anonymous" }
    }
}
