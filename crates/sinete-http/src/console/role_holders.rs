//! The members who hold a role, page by page.

use super::PageContext;
use super::members::{member_address, member_name};
use crate::console::operations::list_view::{ListView, NextRows};
use crate::console::pagination::ConsolePaging;
use sinete_core::access_control::built_in_permissions::READ_MEMBERS;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::{MembershipId, RoleId};
use sinete_engine::organizations::invitations;
use sinete_engine::organizations::members::{MembershipHolder, MembershipRow};
use sinete_engine::organizations::roles;
use sinete_screens::console::block_page::{BlockCell, CellTone, TableBlock, TableRow};
use sinete_server::reply::HandlerError;

/// How many members are sorted at most, as in other tables.
const SORTED_HOLDERS_MAX: u32 = 1_000;

/// The table of the members who hold a role, if the user may see members.
pub(super) async fn load_holders(
    context: &PageContext<'_>,
    role: RoleId,
) -> Result<Option<TableBlock>, HandlerError> {
    if !context.access.has_permission(READ_MEMBERS) {
        return Ok(None);
    }
    let (engine, access, phrases) =
        (context.engine(), context.access.organization_access(), context.phrases());
    let columns =
        [phrases.instance.name, phrases.console.address, phrases.console.kind, phrases.console.state];
    let (view, paging) =
        (ListView::from_table_query(context, columns.len()), ConsolePaging::from_query(context)?);
    let (after, limit) = match view.sort {
        Some(_) => (None, SORTED_HOLDERS_MAX + 1),
        None => (paging.after::<MembershipId>()?, paging.fetch_limit()),
    };
    let mut read = roles::list_holders(engine, access, role, after, limit).await?;
    let is_too_long = u32::try_from(read.len()).is_ok_and(|count| count > SORTED_HOLDERS_MAX);
    let is_sorted = view.sort.is_some() && !is_too_long;
    let cursor = match is_sorted {
        true => None,
        false => paging.split_page(&mut read, |member| member.id.to_string()),
    };
    let ids: Vec<MembershipId> = read.iter().map(|member| member.id).collect();
    let addresses = invitations::list_addresses(engine, access, &ids).await?;
    let address_of = |id: MembershipId| addresses.iter().find(|(of, _)| *of == id).map(|(_, it)| it.clone());
    let row = |member: &MembershipRow| -> Result<TableRow, HandlerError> {
        holder_row(context, member, &member_address(member, address_of(member.id))?)
    };
    let mut rows = read.iter().map(row).collect::<Result<Vec<_>, _>>()?;
    let next = match view.sort {
        Some(order) if is_sorted => {
            order.apply(&mut rows);
            view.split_page(&mut rows)
        }
        Some(_) => None,
        None => cursor.map(NextRows::After),
    };
    Ok(Some(TableBlock {
        id: "holders".to_owned(),
        title: phrases.roles.holders.to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows,
        sorts: view.sort_links(),
        notice: if is_too_long { phrases.blocks.too_long_to_sort.to_owned() } else { String::new() },
        empty: phrases.roles.holders_none.to_owned(),
        first: view.first_path(),
        next: next.map(|next| view.next_path(next)),
        ..TableBlock::default()
    }))
}

fn holder_row(
    context: &PageContext<'_>,
    member: &MembershipRow,
    address: &str,
) -> Result<TableRow, HandlerError> {
    let phrases = context.phrases();
    let name = member_name(member)?;
    let display_name = [name.as_str(), address].into_iter().find(|text| !text.is_empty()).map(str::to_owned);
    let display_name = display_name.unwrap_or_else(|| member.id.to_string().chars().take(8).collect());
    let path = format!("{}/members/{}", context.return_to.organization_path(), member.id);
    let kind = match &member.holder {
        MembershipHolder::User(_) => phrases.console.person,
        MembershipHolder::Machine(_) => phrases.console.machine,
        MembershipHolder::Unclaimed => phrases.console.unclaimed,
    };
    let state = match member.condition {
        LifecycleCondition::Enabled => BlockCell::text(phrases.console.state_on),
        LifecycleCondition::Suspended | LifecycleCondition::Ended => {
            BlockCell::tag(phrases.console.switched_off, CellTone::Warn)
        }
    };
    Ok(TableRow {
        cells: vec![
            BlockCell::link(display_name, path),
            BlockCell::text(address),
            BlockCell::text(kind),
            state,
        ],
        button: None,
    })
}
