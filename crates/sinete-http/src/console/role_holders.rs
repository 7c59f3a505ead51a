//! The members who hold a role, page by page.

use super::PageContext;
use super::members::member_name;
use crate::console::pagination::ConsolePaging;
use sinete_core::access_control::built_in_permissions::READ_MEMBERS;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::{MembershipId, RoleId};
use sinete_engine::organizations::invitations;
use sinete_engine::organizations::members::{MembershipHolder, MembershipRow};
use sinete_engine::organizations::roles;
use sinete_screens::console::block_page::{BlockCell, CellTone, TableBlock, TableRow};
use sinete_screens::console::build_query;
use sinete_server::reply::HandlerError;

/// The table of the members who hold a role, if the user may see members.
pub(super) async fn load_holders(
    work: &PageContext<'_>,
    role: RoleId,
) -> Result<Option<TableBlock>, HandlerError> {
    if !work.access.has_permission(READ_MEMBERS) {
        return Ok(None);
    }
    let (engine, acting, words) = (work.engine(), work.access.organization_access(), work.words());
    let paging = ConsolePaging::from_query(work)?;
    let after = paging.after::<MembershipId>()?;
    let mut read = roles::list_holders(engine, acting, role, after, paging.fetch_limit()).await?;
    let next = paging.split_page(&mut read, |member| member.id.to_string());
    let ids: Vec<MembershipId> = read.iter().map(|member| member.id).collect();
    let addresses = invitations::list_addresses(engine, acting, &ids).await?;
    let address_of = |id: MembershipId| addresses.iter().find(|(of, _)| *of == id).map(|(_, it)| it.as_str());
    let rows = read.iter().map(|member| holder_row(work, member, address_of(member.id).unwrap_or_default()));
    let size = work.query.get("size").unwrap_or_default();
    let page_path = |cursor: &str| match build_query([("size", size), ("after", cursor)]) {
        query if query.is_empty() => work.path.clone(),
        query => format!("{}?{query}", work.path),
    };
    Ok(Some(TableBlock {
        id: "holders".to_owned(),
        title: words.roles.holders.to_owned(),
        columns: [words.instance.name, words.console.address, words.console.kind, words.console.state]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.collect::<Result<_, _>>()?,
        empty: words.roles.holders_none.to_owned(),
        first: after.map(|_| page_path("")),
        next: next.as_deref().map(page_path),
        ..TableBlock::default()
    }))
}

fn holder_row(
    work: &PageContext<'_>,
    member: &MembershipRow,
    address: &str,
) -> Result<TableRow, HandlerError> {
    let words = work.words();
    let name = member_name(member)?;
    let shown = [name.as_str(), address].into_iter().find(|text| !text.is_empty()).map(str::to_owned);
    let shown = shown.unwrap_or_else(|| member.id.to_string().chars().take(8).collect());
    let path = format!("{}/members/{}", work.return_to.organization_path(), member.id);
    let kind = match &member.holder {
        MembershipHolder::Person(_) => words.console.person,
        MembershipHolder::Machine(_) => words.console.machine,
        MembershipHolder::Nobody => words.console.unclaimed,
    };
    let state = match member.condition {
        LifecycleCondition::Enabled => BlockCell::text(words.console.state_on),
        LifecycleCondition::Suspended | LifecycleCondition::Ended => {
            BlockCell::tag(words.console.switched_off, CellTone::Warn)
        }
    };
    Ok(TableRow {
        cells: vec![BlockCell::link(shown, path), BlockCell::text(address), BlockCell::text(kind), state],
        button: None,
    })
}
