//! Tables on the page of a member: where its roles come from, sessions, sign-in methods and granted access.

use super::{ActionError, ActionOutcome, CompletedAction, Outcome, PageContext};
use sinete_core::access_control::built_in_permissions::READ_ROLES;
use sinete_core::id::{MembershipId, RoleId};
use sinete_core::oauth::authorize::stored_grant_params::GrantedScopes;
use sinete_engine::Failure;
use sinete_engine::organizations::member_access;
use sinete_engine::organizations::member_access::{
    FactorSummary, GrantRow, MemberAccess, MemberSession, StoredCredentialKind,
};
use sinete_engine::organizations::member_grants;
use sinete_engine::organizations::roles::RoleRow;
use sinete_screens::console::block_page::{BlockCell, CellTone, RowButton, TableBlock, TableRow};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::display_time::DisplayTime;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerError;

/// The action that revokes a grant.
pub(super) const REVOKE_GRANT: &str = "revoke_grant";

/// The grants and the sessions on the page; the list of grants has the others.
const DISPLAYED_MAX: usize = 20;

/// Loads the tables.
pub(super) async fn load_tables(
    context: &PageContext<'_>,
    id: MembershipId,
    roles: &[RoleRow],
) -> Result<Vec<TableBlock>, HandlerError> {
    let organization_access = context.access.organization_access();
    let access = member_access::load_member_access(context.engine(), organization_access, id).await?;
    let mut tables = Vec::new();
    if !roles.is_empty() {
        tables.push(roles_table(context, roles, &access.directory_roles));
    }
    if let Some(sign_in) = &access.sign_in {
        tables.push(sessions_table(context, &sign_in.sessions));
        tables.push(factors_table(context, &sign_in.factors));
    }
    if context.can_call("listGrants") {
        tables.push(grants_table(context, &access)?);
    }
    Ok(tables)
}

/// Revokes a grant of a member.
pub(super) async fn revoke_grant(context: &PageContext<'_>, form: &FormParams) -> Outcome {
    let Some(id) = form.get("item").and_then(|id| id.parse().ok()) else {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::Gone));
    };
    member_grants::revoke(context.engine(), context.access.organization_access(), id).await?;
    Ok(ActionOutcome::Redirect(CompletedAction {
        notice: ConsoleNotice::Deleted,
        return_path: context.path.clone(),
    }))
}

/// The roles, with where each comes from.
fn roles_table(context: &PageContext<'_>, roles: &[RoleRow], of_directory: &[RoleId]) -> TableBlock {
    let phrases = context.phrases();
    let can_open = context.access.has_permission(READ_ROLES);
    let row = |role: &RoleRow| {
        let name = match role.is_built_in {
            true => phrases.role_names.join([role.role.name()]),
            false => role.role.name().to_owned(),
        };
        let source = match (role.is_built_in, of_directory.contains(&role.id)) {
            (true, _) => phrases.settings.role_built_in,
            (false, true) => phrases.settings.role_directory,
            (false, false) => phrases.settings.role_own,
        };
        let path = format!("{}/roles/{}", context.return_to.organization_path(), role.id);
        let name = if can_open { BlockCell::link(name, path) } else { BlockCell::text(name) };
        TableRow { cells: vec![name, BlockCell::tag(source, CellTone::Plain)], button: None }
    };
    TableBlock {
        id: "role-sources".to_owned(),
        title: phrases.settings.role_sources.to_owned(),
        columns: column_names([phrases.settings.role_name, phrases.settings.role_source]),
        rows: roles.iter().map(row).collect(),
        ..TableBlock::default()
    }
}

fn sessions_table(context: &PageContext<'_>, sessions: &[MemberSession]) -> TableBlock {
    let phrases = context.phrases();
    let row = |session: &MemberSession| TableRow {
        cells: vec![
            match session.device.as_str() {
                "" => BlockCell::text(phrases.account.unknown_device),
                device => BlockCell::english_text(device),
            },
            BlockCell::time(Some(DisplayTime(session.first_at.seconds()))),
            BlockCell::time(Some(DisplayTime(session.last_at.seconds()))),
            BlockCell::text(session.grants.to_string()),
        ],
        button: None,
    };
    TableBlock {
        id: "sessions".to_owned(),
        title: phrases.instance.sessions.to_owned(),
        introduction: phrases.settings.member_sessions_lead.to_owned(),
        columns: column_names([
            phrases.instance.device,
            phrases.settings.session_first,
            phrases.settings.session_last,
            phrases.settings.session_grants,
        ]),
        rows: sessions.iter().take(DISPLAYED_MAX).map(row).collect(),
        empty: phrases.settings.member_sessions_none.to_owned(),
        ..TableBlock::default()
    }
}

fn factors_table(context: &PageContext<'_>, factors: &[FactorSummary]) -> TableBlock {
    let (phrases, language) = (context.phrases(), context.reader.language);
    let row = |factor: &FactorSummary| {
        let kind = match factor.kind {
            StoredCredentialKind::Passkey => phrases.instance.method_passkey,
            StoredCredentialKind::Password => phrases.instance.method_password,
            StoredCredentialKind::Totp => phrases.instance.method_totp,
            StoredCredentialKind::RecoveryCodes => phrases.instance.method_recovery_codes,
        };
        let used = factor.used_on.map(|day| DisplayTime(day.seconds()).day(language));
        TableRow {
            cells: vec![
                BlockCell::text(kind),
                BlockCell::text(factor.count.to_string()),
                BlockCell::time(Some(DisplayTime(factor.added_at.seconds()))),
                BlockCell::text(used.unwrap_or_default()),
            ],
            button: None,
        }
    };
    TableBlock {
        id: "factors".to_owned(),
        title: phrases.settings.member_factors.to_owned(),
        introduction: phrases.settings.member_factors_lead.to_owned(),
        columns: column_names([
            phrases.console.kind,
            phrases.settings.factor_count,
            phrases.settings.factor_added,
            phrases.settings.factor_used,
        ]),
        rows: factors.iter().map(row).collect(),
        empty: phrases.settings.member_factors_none.to_owned(),
        ..TableBlock::default()
    }
}

fn grants_table(context: &PageContext<'_>, access: &MemberAccess) -> Result<TableBlock, HandlerError> {
    let phrases = context.phrases();
    let can_revoke = context.can_call("revokeGrant");
    let row = |grant: &GrantRow| -> Result<TableRow, HandlerError> {
        let granted_scopes: GrantedScopes = grant.scopes.parse().map_err(Failure::from)?;
        let scopes =
            granted_scopes.iter().map(|(_, scopes)| scopes.to_string()).collect::<Vec<_>>().join(" ");
        Ok(TableRow {
            cells: vec![
                BlockCell::code(grant.client.as_str()),
                BlockCell::text(scopes),
                BlockCell::time(Some(DisplayTime(grant.created_at.seconds()))),
                BlockCell::time(Some(DisplayTime(grant.expires_at.seconds()))),
            ],
            button: can_revoke.then(|| RowButton {
                action: REVOKE_GRANT.to_owned(),
                item: grant.id.to_string(),
                text: phrases.applications.revoke.to_owned(),
                row_name: grant.client.as_str().to_owned(),
            }),
        })
    };
    let rows = access.grants.iter().take(DISPLAYED_MAX).map(row).collect::<Result<_, _>>()?;
    Ok(TableBlock {
        id: "granted".to_owned(),
        title: phrases.settings.grants.to_owned(),
        introduction: phrases.settings.member_grants_lead.to_owned(),
        columns: column_names([
            phrases.settings.grant_client,
            phrases.settings.grant_scope,
            phrases.instance.created_at,
            phrases.instance.expires_at,
        ]),
        rows,
        empty: phrases.settings.member_grants_none.to_owned(),
        ..TableBlock::default()
    })
}

fn column_names<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}
