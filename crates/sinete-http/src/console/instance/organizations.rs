//! The organizations of the instance.

use super::conditions;
use crate::console::operations::form::{
    FieldKind, FormField, NextPage, PageForm, build_allowed_form, build_form,
};
use crate::console::operations::list::{OperationList, load_table, search_field};
use crate::console::operations::values::{
    cell_at, code_at, is_present, items_at, state_at, text_at, time_at,
};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{BlockCell, BlockLink, CellTone, FactsBlock, PageBlock, TableRow};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[
    OperationPage {
        path: "/instance/organizations",
        section: ConsoleSection::Organizations,
        reads: &["listOrganizations"],
        forms: &[CREATE],
        show: |work, _| Box::pin(list_organizations(work)),
    },
    OperationPage {
        path: "/instance/organizations/{organization}",
        section: ConsoleSection::Organizations,
        reads: &["listOrganizations", "listInstanceAssignments", "getOrganization", "getFirstOwner"],
        forms: &[INVITE_OWNER, SUSPEND, RESTORE, DELETE, WITHDRAW_DELETION],
        show: |work, id| Box::pin(show_organization(work, id)),
    },
];

const CREATE: PageForm = PageForm {
    action: "create",
    operation: "createOrganization",
    title: |w| w.instance.organization_create,
    lead: |w| w.instance.organization_create_lead,
    button: |w| w.instance.organization_create_now,
    fields: &[
        FormField {
            pointer: "/name",
            label: |w| w.instance.name,
            hint: |w| w.instance.organization_name_hint,
            is_required: true,
            ..FormField::TEXT
        },
        FormField {
            pointer: "/slug",
            label: |w| w.instance.slug,
            hint: |w| w.instance.slug_hint,
            is_required: true,
            ..FormField::TEXT
        },
        FormField {
            pointer: "/owner/email",
            label: |w| w.instance.first_owner,
            hint: |w| w.instance.first_owner_hint,
            kind: FieldKind::Email,
            ..FormField::TEXT
        },
    ],
    notice: ConsoleNotice::Created,
    next: NextPage::Created("/id"),
    is_collapsed: true,
    ..PageForm::BUTTON
};

const INVITE_OWNER: PageForm = PageForm {
    action: "invite_owner",
    operation: "inviteFirstOwner",
    title: |w| w.instance.first_owner_invite,
    lead: |w| w.instance.first_owner_invite_lead,
    button: |w| w.instance.first_owner_invite_now,
    fields: &[FormField {
        pointer: "/email",
        label: |w| w.instance.first_owner,
        hint: |w| w.instance.first_owner_address,
        kind: FieldKind::Email,
        is_required: true,
        ..FormField::TEXT
    }],
    notice: ConsoleNotice::Invited,
    ..PageForm::BUTTON
};

const REASON: &[FormField] = &[FormField {
    pointer: "/reason",
    label: |w| w.instance.reason,
    hint: |w| w.instance.reason_hint,
    is_required: true,
    ..FormField::TEXT
}];

const SUSPEND: PageForm = PageForm {
    action: "suspend",
    operation: "suspendOrganization",
    title: |w| w.instance.suspend,
    lead: |w| w.instance.suspend_lead,
    button: |w| w.instance.suspend_now,
    fields: REASON,
    is_danger: true,
    is_collapsed: true,
    ..PageForm::BUTTON
};

const RESTORE: PageForm = PageForm {
    action: "restore",
    operation: "restoreOrganization",
    title: |w| w.instance.restore,
    lead: |w| w.instance.restore_lead,
    button: |w| w.instance.restore_now,
    fields: REASON,
    ..PageForm::BUTTON
};

pub(in crate::console) const DELETE: PageForm = PageForm {
    action: "delete",
    operation: "askOrganizationDeletion",
    title: |w| w.instance.organization_delete,
    lead: |w| w.instance.organization_delete_lead,
    button: |w| w.instance.organization_delete_now,
    is_danger: true,
    is_collapsed: true,
    ..PageForm::BUTTON
};

pub(in crate::console) const WITHDRAW_DELETION: PageForm = PageForm {
    action: "withdraw_deletion",
    operation: "withdrawOrganizationDeletion",
    title: |w| w.instance.organization_keep,
    lead: |w| w.instance.organization_keep_lead,
    button: |w| w.instance.organization_keep_now,
    ..PageForm::BUTTON
};

async fn list_organizations(work: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let words = work.words();
    let list = OperationList {
        id: "organizations",
        call: work.operation("listOrganizations"),
        title: words.instance.organizations_all,
        lead: "",
        empty: words.instance.organizations_none,
        columns: vec![words.instance.name, words.instance.slug, words.console.kind, words.console.condition],
        filters: vec![search_field(work, "search", words.instance.organizations_search_hint)],
    };
    let table = load_table(work, list, |it| TableRow {
        cells: vec![
            BlockCell::link(text_at(it, "/name"), format!("/instance/organizations/{}", text_at(it, "/id"))),
            cell_at(it, "/slug"),
            cell_at(it, "/kind"),
            state_at(it, "/condition", &conditions(words)),
        ],
        button: None,
    });
    let blocks = [Some(PageBlock::Table(table.await?)), build_form(work, &CREATE, None)];
    Ok(PageContent {
        title: words.instance.organizations.to_owned(),
        lead: words.instance.organizations_lead.to_owned(),
        blocks: blocks.into_iter().flatten().collect(),
    })
}

async fn show_organization(work: &PageContext<'_>, id: &str) -> Result<PageContent, HandlerError> {
    let found = work.send(work.operation("listOrganizations").query("search", id)).await?.body;
    let Some(organization) = items_at(&found, "/items").first().cloned() else {
        return Err(Refusal::because(RequestRefusal::NotFound, "no such organization").into());
    };
    let condition = text_at(&organization, "/condition");
    let owner = match is_customer(&organization) && condition != "ended" {
        true => work.send(work.operation("getFirstOwner").path("organization", id)).await?.body,
        false => Value::Null,
    };
    let mut blocks = vec![PageBlock::Facts(organization_facts(work, &organization, &owner))];
    let is_suspended = condition == "suspended";
    if matches!(text_at(&owner, "/state").as_str(), "missing" | "invited" | "expired") && !is_suspended {
        blocks.extend(build_form(work, &INVITE_OWNER, None));
    }
    // Only an assignment lets an operator act inside. An operator who has one can read the organization.
    let slug = text_at(&organization, "/slug");
    let call = work.operation("getOrganization").path("organization", id);
    let is_assigned = is_customer(&organization) && work.send(call).await.is_ok();
    if is_assigned {
        let is_ending = !text_at(&organization, "/ends_at").is_empty();
        let condition = if is_suspended { &RESTORE } else { &SUSPEND };
        let deletion = if is_ending { &WITHDRAW_DELETION } else { &DELETE };
        let forms = [condition, deletion];
        blocks.extend(forms.map(|form| build_allowed_form(work, form, Some(&organization))));
    }
    if is_customer(&organization) {
        blocks.push(PageBlock::Table(super::assignments::load_assignments(work, &slug, is_assigned).await?));
    }
    let lead = organization_lead(work, &organization, &owner);
    Ok(PageContent { title: text_at(&organization, "/name"), lead, blocks })
}

/// What a reader has to know first: whether it has an owner, or what a built-in organization is for.
fn organization_lead(work: &PageContext<'_>, organization: &Value, owner: &Value) -> String {
    let words = &work.words().instance;
    let address = text_at(owner, "/email");
    match (text_at(organization, "/kind").as_str(), text_at(owner, "/state").as_str()) {
        ("home", _) => words.home_lead.to_owned(),
        ("operator", _) => words.operators_lead.to_owned(),
        (_, "missing") => words.first_owner_missing.to_owned(),
        (_, "invited") => words.first_owner_invited(&address),
        (_, "expired") => words.first_owner_expired(&address),
        _ => String::new(),
    }
}

/// The facts of an organization. A reason and an end are shown only where there is one.
fn organization_facts(work: &PageContext<'_>, organization: &Value, owner: &Value) -> FactsBlock {
    let words = work.words();
    let mut facts = vec![
        (words.blocks.id.to_owned(), code_at(organization, "/id")),
        (words.instance.slug.to_owned(), code_at(organization, "/slug")),
        (words.console.kind.to_owned(), cell_at(organization, "/kind")),
        (words.console.condition.to_owned(), state_at(organization, "/condition", &conditions(words))),
    ];
    if is_present(organization, "/condition_reason") {
        facts.push((words.instance.reason.to_owned(), cell_at(organization, "/condition_reason")));
    }
    if is_present(organization, "/ends_at") {
        facts.push((words.instance.ends_at.to_owned(), time_at(organization, "/ends_at")));
    }
    if is_present(owner, "/email") {
        let states = [
            ("invited", words.instance.invitation_pending, CellTone::Warn),
            ("expired", words.instance.invitation_expired, CellTone::Warn),
        ];
        facts.push((words.instance.first_owner.to_owned(), cell_at(owner, "/email")));
        facts.push((words.instance.invitation.to_owned(), state_at(owner, "/state", &states)));
        facts.push((words.instance.invitation_expires.to_owned(), time_at(owner, "/expires_at")));
    }
    FactsBlock {
        id: "organization".to_owned(),
        title: words.console.overview.to_owned(),
        facts,
        links: [(words.instance.its_events, "events"), (words.usage.more, "usage")]
            .map(|(text, page)| BlockLink {
                text: text.to_owned(),
                path: format!("/instance/{page}?organization={}", text_at(organization, "/id")),
            })
            .to_vec(),
    }
}

fn is_customer(organization: &Value) -> bool {
    text_at(organization, "/kind") == "customer"
}
