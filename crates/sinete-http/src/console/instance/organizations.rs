//! The organizations of the instance.

use super::condition_labels;
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
        show: |context, _| Box::pin(list_organizations(context)),
    },
    OperationPage {
        path: "/instance/organizations/{organization}",
        section: ConsoleSection::Organizations,
        reads: &["listOrganizations", "listInstanceAssignments", "getOrganization", "getFirstOwner"],
        forms: &[INVITE_OWNER, SUSPEND, RESTORE, DELETE, WITHDRAW_DELETION],
        show: |context, id| Box::pin(show_organization(context, id)),
    },
];

const CREATE: PageForm = PageForm {
    action: "create",
    operation: "createOrganization",
    title: |w| w.instance.organization_create,
    introduction: |w| w.instance.organization_create_lead,
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
    introduction: |w| w.instance.first_owner_invite_lead,
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
    introduction: |w| w.instance.suspend_lead,
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
    introduction: |w| w.instance.restore_lead,
    button: |w| w.instance.restore_now,
    fields: REASON,
    ..PageForm::BUTTON
};

pub(in crate::console) const DELETE: PageForm = PageForm {
    action: "delete",
    operation: "askOrganizationDeletion",
    title: |w| w.instance.organization_delete,
    introduction: |w| w.instance.organization_delete_lead,
    button: |w| w.instance.organization_delete_now,
    is_danger: true,
    is_collapsed: true,
    ..PageForm::BUTTON
};

pub(in crate::console) const WITHDRAW_DELETION: PageForm = PageForm {
    action: "withdraw_deletion",
    operation: "withdrawOrganizationDeletion",
    title: |w| w.instance.organization_keep,
    introduction: |w| w.instance.organization_keep_lead,
    button: |w| w.instance.organization_keep_now,
    ..PageForm::BUTTON
};

async fn list_organizations(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let list = OperationList {
        id: "organizations",
        call: context.operation("listOrganizations"),
        title: phrases.instance.organizations_all,
        introduction: "",
        empty: phrases.instance.organizations_none,
        columns: vec![
            phrases.instance.name,
            phrases.instance.slug,
            phrases.console.kind,
            phrases.console.condition,
        ],
        filters: vec![search_field(context, "search", phrases.instance.organizations_search_hint)],
    };
    let table = load_table(context, list, |it| TableRow {
        cells: vec![
            BlockCell::link(text_at(it, "/name"), format!("/instance/organizations/{}", text_at(it, "/id"))),
            cell_at(it, "/slug"),
            cell_at(it, "/kind"),
            state_at(it, "/condition", &condition_labels(phrases)),
        ],
        button: None,
    });
    let blocks = [Some(PageBlock::Table(table.await?)), build_form(context, &CREATE, None)];
    Ok(PageContent {
        title: phrases.instance.organizations.to_owned(),
        introduction: phrases.instance.organizations_lead.to_owned(),
        blocks: blocks.into_iter().flatten().collect(),
    })
}

async fn show_organization(context: &PageContext<'_>, id: &str) -> Result<PageContent, HandlerError> {
    let organizations = context.send(context.operation("listOrganizations").query("search", id)).await?.body;
    let Some(organization) = items_at(&organizations, "/items").first().cloned() else {
        return Err(Refusal::because(RequestRefusal::NotFound, "no such organization").into());
    };
    let condition = text_at(&organization, "/condition");
    let owner = match is_customer(&organization) && condition != "ended" {
        true => context.send(context.operation("getFirstOwner").path("organization", id)).await?.body,
        false => Value::Null,
    };
    let mut blocks = vec![PageBlock::Facts(organization_facts(context, &organization, &owner))];
    let is_suspended = condition == "suspended";
    if matches!(text_at(&owner, "/state").as_str(), "missing" | "invited" | "expired") && !is_suspended {
        blocks.extend(build_form(context, &INVITE_OWNER, None));
    }
    // Only an assignment lets an operator act inside. An operator who has one can read the organization.
    let slug = text_at(&organization, "/slug");
    let operation_call = context.operation("getOrganization").path("organization", id);
    let is_assigned = is_customer(&organization) && context.send(operation_call).await.is_ok();
    if is_assigned {
        let is_ending = !text_at(&organization, "/ends_at").is_empty();
        let condition = if is_suspended { &RESTORE } else { &SUSPEND };
        let deletion = if is_ending { &WITHDRAW_DELETION } else { &DELETE };
        let forms = [condition, deletion];
        blocks.extend(forms.map(|form| build_allowed_form(context, form, Some(&organization))));
    }
    if is_customer(&organization) {
        blocks
            .push(PageBlock::Table(super::assignments::load_assignments(context, &slug, is_assigned).await?));
    }
    let introduction = organization_introduction(context, &organization, &owner);
    Ok(PageContent { title: text_at(&organization, "/name"), introduction, blocks })
}

/// What a reader has to know first: whether it has an owner, or what a built-in organization is for.
fn organization_introduction(context: &PageContext<'_>, organization: &Value, owner: &Value) -> String {
    let phrases = &context.phrases().instance;
    let address = text_at(owner, "/email");
    match (text_at(organization, "/kind").as_str(), text_at(owner, "/state").as_str()) {
        ("home", _) => phrases.home_lead.to_owned(),
        ("operator", _) => phrases.operators_lead.to_owned(),
        (_, "missing") => phrases.first_owner_missing.to_owned(),
        (_, "invited") => phrases.first_owner_invited(&address),
        (_, "expired") => phrases.first_owner_expired(&address),
        _ => String::new(),
    }
}

/// The facts of an organization. A reason and an end are shown only where there is one.
fn organization_facts(context: &PageContext<'_>, organization: &Value, owner: &Value) -> FactsBlock {
    let phrases = context.phrases();
    let mut facts = vec![
        (phrases.blocks.id.to_owned(), code_at(organization, "/id")),
        (phrases.instance.slug.to_owned(), code_at(organization, "/slug")),
        (phrases.console.kind.to_owned(), cell_at(organization, "/kind")),
        (
            phrases.console.condition.to_owned(),
            state_at(organization, "/condition", &condition_labels(phrases)),
        ),
    ];
    if is_present(organization, "/condition_reason") {
        facts.push((phrases.instance.reason.to_owned(), cell_at(organization, "/condition_reason")));
    }
    if is_present(organization, "/ends_at") {
        facts.push((phrases.instance.ends_at.to_owned(), time_at(organization, "/ends_at")));
    }
    if is_present(owner, "/email") {
        let states = [
            ("invited", phrases.instance.invitation_pending, CellTone::Warn),
            ("expired", phrases.instance.invitation_expired, CellTone::Warn),
        ];
        facts.push((phrases.instance.first_owner.to_owned(), cell_at(owner, "/email")));
        facts.push((phrases.instance.invitation.to_owned(), state_at(owner, "/state", &states)));
        facts.push((phrases.instance.invitation_expires.to_owned(), time_at(owner, "/expires_at")));
    }
    FactsBlock {
        id: "organization".to_owned(),
        title: phrases.console.overview.to_owned(),
        facts,
        links: [(phrases.instance.its_events, "events"), (phrases.usage.more, "usage")]
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
