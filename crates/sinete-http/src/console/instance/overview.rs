//! The overview of the instance, with the steps that set it up. Each step is ticked by a fact, not by a click.

use super::applications::{CLIENT_SECRET, NAME, REDIRECTS, TYPE};
use crate::console::operations::form::{NextPage, PageForm, build_form};
use crate::console::operations::values::{cell_at, code_at, items_at, text_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use crate::console::usage_blocks::load_overview_blocks;
use serde_json::Value;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{
    BlockCell, BlockLink, CellTone, FactsBlock, PageBlock, SetupStep, StepsBlock,
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
    show: |work, _| Box::pin(show_overview(work)),
}];

/// The first application, registered where the step asks for it. The rest of its settings are on its own page.
const FIRST_APPLICATION: PageForm = PageForm {
    action: "first-application",
    operation: "createInstanceClient",
    title: |w| w.instance.step_application,
    lead: |w| w.instance.step_application_text,
    button: |w| w.applications.register_now,
    fields: &[TYPE, NAME, REDIRECTS],
    notice: ConsoleNotice::Created,
    next: NextPage::SecretBelow("/instance/applications", "/id", CLIENT_SECRET),
    ..PageForm::BUTTON
};

async fn show_overview(work: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let words = work.words();
    let mut blocks = Vec::new();
    if work.may_call("getSettings") {
        let settings = work.send(work.operation("getSettings")).await?.body;
        let readiness = match work.state.backend().check_readiness().await {
            Ok(()) => BlockCell::tag(words.instance.ready, CellTone::Good),
            Err(why) => BlockCell::tag(why.0, CellTone::Warn),
        };
        let steps = setup_steps(work, &settings).await?;
        let has_application = steps.steps.iter().any(|step| step.id == APPLICATION_STEP && step.is_done);
        blocks.push(PageBlock::Steps(steps));
        if !has_application {
            blocks.extend(build_form(work, &FIRST_APPLICATION, None));
        }
        blocks.push(PageBlock::Facts(FactsBlock {
            id: "instance".to_owned(),
            title: words.console.overview.to_owned(),
            facts: vec![
                (words.instance.issuer.to_owned(), code_at(&settings, "/issuer")),
                (words.instance.this_node.to_owned(), readiness),
                (words.instance.mode.to_owned(), cell_at(&settings, "/mode")),
                (words.instance.version.to_owned(), cell_at(&settings, "/version")),
            ],
            links: Vec::new(),
        }));
    }
    if let Some((figures, chart)) = load_overview_blocks(work).await? {
        blocks.extend([PageBlock::Figures(figures), PageBlock::Chart(chart)]);
    }
    Ok(PageContent { title: words.instance.title.to_owned(), lead: words.instance.lead.to_owned(), blocks })
}

/// The steps of a new instance.
async fn setup_steps(work: &PageContext<'_>, settings: &Value) -> Result<StepsBlock, HandlerError> {
    let words = work.words();
    let issuer = text_at(settings, "/issuer");
    let is_local = ["://localhost", "://127.0.0.1", "://[::1]"].iter().any(|host| issuer.contains(host));
    let clients = work.send(work.operation("listInstanceClients").query("limit", "1")).await?.body;
    let step = |id: &str, (title, text): (&str, &str), is_done: bool, link: Option<BlockLink>| SetupStep {
        id: id.to_owned(),
        title: title.to_owned(),
        text: text.to_owned(),
        is_done,
        link: link.filter(|_| !is_done),
    };
    let mailbox = BlockLink { text: words.instance.mailbox_open.to_owned(), path: "/dev/mail".to_owned() };
    let applications =
        BlockLink { text: words.applications.title.to_owned(), path: "/instance/applications".to_owned() };
    let mut steps = vec![
        step(
            "step-name",
            (words.instance.step_name, words.instance.step_name_text),
            work.state.branding().brand().has_own_name(),
            None,
        ),
        step(
            "step-mail",
            (words.instance.step_mail, words.instance.step_mail_text),
            work.state.backend().dev_mailbox().is_none(),
            Some(mailbox),
        ),
        step(
            "step-domain",
            (words.instance.step_domain, words.instance.step_domain_text),
            issuer.starts_with("https://") && !is_local,
            None,
        ),
        step(
            APPLICATION_STEP,
            (words.instance.step_application, words.instance.step_application_text),
            !items_at(&clients, "/items").is_empty(),
            Some(applications),
        ),
    ];
    steps.push(organization_step(work).await?);
    if let Some(step) = colleague_step(work).await? {
        steps.push(step);
    }
    // In production the program does not start while `doctor` finds a blocker.
    steps.push(step(
        "step-production",
        (words.instance.step_production, words.instance.step_production_text),
        text_at(settings, "/mode") == "production",
        None,
    ));
    let done = steps.iter().filter(|step| step.is_done).count();
    Ok(StepsBlock {
        title: words.instance.steps.to_owned(),
        progress: format!("{done} / {}", steps.len()),
        steps,
    })
}

/// Whether there is an organization beside the built-in ones.
async fn organization_step(work: &PageContext<'_>) -> Result<SetupStep, HandlerError> {
    let words = work.words();
    // The oldest come first, and two are built in.
    let found = work.send(work.operation("listOrganizations").query("limit", "3")).await?.body;
    let is_done = items_at(&found, "/items").iter().any(|it| text_at(it, "/kind") == "customer");
    let link = BlockLink {
        text: words.instance.organization_create_now.to_owned(),
        path: "/instance/organizations".to_owned(),
    };
    Ok(SetupStep {
        id: "step-organization".to_owned(),
        title: words.instance.step_organization.to_owned(),
        text: words.instance.step_organization_text.to_owned(),
        is_done,
        link: Some(link).filter(|_| !is_done),
    })
}

/// Whether there is a second operator, for users who may see the members of the operators' organization.
async fn colleague_step(work: &PageContext<'_>) -> Result<Option<SetupStep>, HandlerError> {
    let words = work.words();
    if !work.may_call("listMembers") {
        return Ok(None);
    }
    let operators = &work.access.organization_access().organization;
    let call = work.operation("listMembers").path("organization", &operators.id.to_string());
    let members = work.send(call.query("limit", "200")).await?.body;
    let people = items_at(&members, "/items").iter().filter(|it| text_at(it, "/kind") == "person").count();
    let link = BlockLink {
        text: words.console.invitations.to_owned(),
        path: format!("/console/{}/invitations", operators.slug),
    };
    Ok(Some(SetupStep {
        id: "step-colleague".to_owned(),
        title: words.instance.step_colleague.to_owned(),
        text: words.instance.step_colleague_text.to_owned(),
        is_done: people > 1,
        link: Some(link).filter(|_| people <= 1),
    }))
}
