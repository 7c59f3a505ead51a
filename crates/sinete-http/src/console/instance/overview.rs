//! The overview of the instance, with the steps that set it up. Each step is ticked by a fact, not by a click.

use super::applications::{CLIENT_SECRET, NAME, REDIRECT_URIS, TYPE};
use crate::console::operations::form::{NextPage, PageForm, build_form};
use crate::console::operations::values::{cell_at, code_at, items_at, text_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use crate::console::usage_blocks::load_overview_blocks;
use serde_json::Value;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{
    BlockCell, BlockLink, CellTone, ChecklistStep, FactsBlock, PageBlock, StepsBlock,
};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::reply::HandlerError;

/// The id of the step that asks for the first application.
const APPLICATION_STEP: &str = "step-application";

pub(super) const PAGES: &[OperationPage] = &[OperationPage {
    path: "/instance",
    section: ConsoleSection::InstanceOverview,
    reads: &[],
    forms: &[FIRST_APPLICATION],
    show: |context, _| Box::pin(show_overview(context)),
}];

/// The first application, registered where the step asks for it. The rest of its settings are on its own page.
const FIRST_APPLICATION: PageForm = PageForm {
    action: "first-application",
    operation: "createInstanceClient",
    title: |w| w.instance.step_application,
    introduction: |w| w.instance.step_application_text,
    button: |w| w.applications.register_now,
    fields: &[TYPE, NAME, REDIRECT_URIS],
    notice: ConsoleNotice::Created,
    next: NextPage::SecretBelow("/instance/applications", "/id", CLIENT_SECRET),
    ..PageForm::BUTTON
};

async fn show_overview(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let mut blocks = Vec::new();
    if context.can_call("getSettings") {
        let settings = context.send(context.operation("getSettings")).await?.body;
        let readiness = match context.state.backend().check_readiness().await {
            Ok(()) => BlockCell::tag(phrases.instance.ready, CellTone::Good),
            Err(error) => BlockCell::tag(error.0, CellTone::Warn),
        };
        let steps = setup_steps(context, &settings).await?;
        let has_application = steps.steps.iter().any(|step| step.id == APPLICATION_STEP && step.is_done);
        blocks.push(PageBlock::Steps(steps));
        if !has_application {
            blocks.extend(build_form(context, &FIRST_APPLICATION, None));
        }
        blocks.push(PageBlock::Facts(FactsBlock {
            id: "instance".to_owned(),
            title: phrases.console.overview.to_owned(),
            facts: vec![
                (phrases.instance.issuer.to_owned(), code_at(&settings, "/issuer")),
                (phrases.instance.this_node.to_owned(), readiness),
                (phrases.instance.mode.to_owned(), cell_at(&settings, "/mode")),
                (phrases.instance.version.to_owned(), cell_at(&settings, "/version")),
            ],
            links: Vec::new(),
        }));
    }
    if let Some((figures, chart)) = load_overview_blocks(context).await? {
        blocks.extend([PageBlock::Figures(figures), PageBlock::Chart(chart)]);
    }
    Ok(PageContent {
        title: phrases.instance.title.to_owned(),
        introduction: phrases.instance.lead.to_owned(),
        blocks,
    })
}

/// The steps of a new instance.
async fn setup_steps(context: &PageContext<'_>, settings: &Value) -> Result<StepsBlock, HandlerError> {
    let phrases = context.phrases();
    let issuer = text_at(settings, "/issuer");
    let is_local = ["://localhost", "://127.0.0.1", "://[::1]"].iter().any(|host| issuer.contains(host));
    let clients = context.send(context.operation("listInstanceClients").query("limit", "1")).await?.body;
    let step =
        |id: &str, (title, text): (&str, &str), is_done: bool, link: Option<BlockLink>| ChecklistStep {
            id: id.to_owned(),
            title: title.to_owned(),
            text: text.to_owned(),
            is_done,
            link: link.filter(|_| !is_done),
        };
    let mailbox = BlockLink { text: phrases.instance.mailbox_open.to_owned(), path: "/dev/mail".to_owned() };
    let applications =
        BlockLink { text: phrases.applications.title.to_owned(), path: "/instance/applications".to_owned() };
    let mut steps = vec![
        step(
            "step-name",
            (phrases.instance.step_name, phrases.instance.step_name_text),
            context.state.branding().brand().has_custom_name(),
            None,
        ),
        step(
            "step-mail",
            (phrases.instance.step_mail, phrases.instance.step_mail_text),
            context.state.backend().dev_mailbox().is_none(),
            Some(mailbox),
        ),
        step(
            "step-domain",
            (phrases.instance.step_domain, phrases.instance.step_domain_text),
            issuer.starts_with("https://") && !is_local,
            None,
        ),
        step(
            APPLICATION_STEP,
            (phrases.instance.step_application, phrases.instance.step_application_text),
            !items_at(&clients, "/items").is_empty(),
            Some(applications),
        ),
    ];
    steps.push(organization_step(context).await?);
    if let Some(step) = colleague_step(context).await? {
        steps.push(step);
    }
    // In production the program does not start while `doctor` finds a blocker.
    steps.push(step(
        "step-production",
        (phrases.instance.step_production, phrases.instance.step_production_text),
        text_at(settings, "/mode") == "production",
        None,
    ));
    let completed_steps = steps.iter().filter(|step| step.is_done).count();
    Ok(StepsBlock {
        title: phrases.instance.steps.to_owned(),
        progress: format!("{completed_steps} / {}", steps.len()),
        steps,
    })
}

/// Whether there is an organization beside the built-in ones.
async fn organization_step(context: &PageContext<'_>) -> Result<ChecklistStep, HandlerError> {
    let phrases = context.phrases();
    // The oldest come first, and two are built in.
    let organizations = context.send(context.operation("listOrganizations").query("limit", "3")).await?.body;
    let is_done = items_at(&organizations, "/items").iter().any(|it| text_at(it, "/kind") == "customer");
    let link = BlockLink {
        text: phrases.instance.organization_create_now.to_owned(),
        path: "/instance/organizations".to_owned(),
    };
    Ok(ChecklistStep {
        id: "step-organization".to_owned(),
        title: phrases.instance.step_organization.to_owned(),
        text: phrases.instance.step_organization_text.to_owned(),
        is_done,
        link: Some(link).filter(|_| !is_done),
    })
}

/// Whether there is a second operator, for users who may see the members of the operators' organization.
async fn colleague_step(context: &PageContext<'_>) -> Result<Option<ChecklistStep>, HandlerError> {
    let phrases = context.phrases();
    if !context.can_call("listMembers") {
        return Ok(None);
    }
    let operators = &context.access.organization_access().organization;
    let operation_call = context.operation("listMembers").path("organization", &operators.id.to_string());
    let members = context.send(operation_call.query("limit", "200")).await?.body;
    let people = items_at(&members, "/items").iter().filter(|it| text_at(it, "/kind") == "person").count();
    let link = BlockLink {
        text: phrases.console.invitations.to_owned(),
        path: format!("/console/{}/invitations", operators.slug),
    };
    Ok(Some(ChecklistStep {
        id: "step-colleague".to_owned(),
        title: phrases.instance.step_colleague.to_owned(),
        text: phrases.instance.step_colleague_text.to_owned(),
        is_done: people > 1,
        link: Some(link).filter(|_| people <= 1),
    }))
}
