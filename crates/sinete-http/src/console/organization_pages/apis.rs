//! The APIs that an organization may use: its own, and those offered to it.

use crate::console::instance::{FIELDS, api_blocks, api_columns, api_row};
use crate::console::operations::form::{NextPage, PageForm, build_form};
use crate::console::operations::list::{OperationList, load_table};
use crate::console::operations::values::text_at;
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{BlockLink, PageBlock};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[
    OperationPage {
        path: "/console/{organization}/apis",
        section: ConsoleSection::Apis,
        reads: &["listApis"],
        forms: &[CREATE],
        show: |context, _| Box::pin(list_apis(context)),
    },
    OperationPage {
        path: "/console/{organization}/apis/{api}",
        section: ConsoleSection::Apis,
        reads: &["getApi", "getProtectedResource"],
        forms: &[CHANGE, DELETE],
        show: |context, id| Box::pin(show_api(context, id)),
    },
];

const CREATE: PageForm = PageForm {
    action: "create",
    operation: "createApi",
    title: |w| w.instance.api_create,
    introduction: |w| w.settings.api_create_lead,
    button: |w| w.instance.api_create_now,
    fields: FIELDS,
    notice: ConsoleNotice::Created,
    next: NextPage::Created("/id"),
    is_collapsed: true,
    ..PageForm::BUTTON
};

const CHANGE: PageForm = PageForm {
    action: "change",
    operation: "updateApi",
    title: |w| w.applications.settings,
    button: |w| w.applications.save,
    fields: FIELDS,
    notice: ConsoleNotice::Saved,
    is_collapsed: true,
    ..PageForm::BUTTON
};

const DELETE: PageForm = PageForm {
    action: "delete",
    operation: "removeApi",
    requires_fresh_authentication: false,
    title: |w| w.instance.api_delete,
    introduction: |w| w.instance.api_delete_lead,
    button: |w| w.applications.delete_now,
    notice: ConsoleNotice::Deleted,
    next: NextPage::List,
    is_danger: true,
    is_collapsed: true,
    ..PageForm::BUTTON
};

async fn list_apis(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let list = OperationList {
        id: "apis",
        call: context.operation("listApis"),
        title: phrases.instance.apis_all,
        introduction: "",
        empty: phrases.instance.apis_none,
        columns: api_columns(context),
        filters: Vec::new(),
    };
    let table = load_table(context, list, |it| api_row(context, it, &context.path));
    let blocks = [Some(PageBlock::Table(table.await?)), build_form(context, &CREATE, None)];
    Ok(PageContent {
        title: phrases.instance.apis.to_owned(),
        introduction: phrases.settings.apis_lead.to_owned(),
        blocks: blocks.into_iter().flatten().collect(),
    })
}

async fn show_api(context: &PageContext<'_>, id: &str) -> Result<PageContent, HandlerError> {
    let api = context.send(context.operation("getApi").path("api", id)).await?.body;
    let resource = context.send(context.operation("getProtectedResource").path("api", id)).await?.body;
    let mut blocks = api_blocks(context, &api, &resource);
    if context.can_call("listRelationships")
        && let Some(PageBlock::Facts(facts)) = blocks.first_mut()
    {
        facts.links.push(BlockLink {
            text: context.phrases().relationships.open.to_owned(),
            path: format!("{}/relationships", context.path),
        });
    }
    // An offered API belongs to the instance, and only operators change it.
    if text_at(&api, "/belongs_to") == "organization" {
        let forms = [&CHANGE, &DELETE].into_iter();
        blocks.extend(forms.filter_map(|form| build_form(context, form, Some(&api))));
    }
    Ok(PageContent { title: text_at(&api, "/name"), introduction: String::new(), blocks })
}
