//! Pages that show and call operations of the management API. A page is a row of a table: its path, the operations
//! it reads, its forms, and how it is shown. What a user may not call is not shown, and nothing is decided here
//! (docs/contribute/decisions/0287-console-pages-call-management-operations.md).

pub(super) mod form;
pub(super) mod list;
pub(super) mod list_view;
mod request_body;
pub(super) mod submit;
pub(super) mod values;

use crate::console::page_context::PageContext;
use crate::management_api::in_process::{OperationCall, OperationReply, find_operation};
use crate::state::RouteEntry;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use form::PageForm;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_csv::render_csv;
use sinete_screens::console::block_page::{BlockPageView, PageBlock, TableBlock};
use sinete_screens::locales::LocalePhrases;
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::route::{CallerKind, RequiredPermission, RouteMethod};
use std::pin::Pin;

/// A phrase in the language of the page.
pub(super) type Phrase = fn(&'static LocalePhrases) -> &'static str;

/// A page of operations.
#[derive(Debug)]
pub(super) struct OperationPage {
    /// The path of its route, with at most one parameter besides the organization.
    pub(super) path: &'static str,
    pub(super) section: ConsoleSection,
    /// The operations it reads. Users who may not call the first one do not see the page.
    pub(super) reads: &'static [&'static str],
    pub(super) forms: &'static [PageForm],
    pub(super) show: ShowPage,
}

/// The function that shows a page, with the parameter of its path.
pub(super) type ShowPage = for<'a> fn(&'a PageContext<'a>, &'a str) -> PageFuture<'a>;
pub(super) type PageFuture<'a> = Pin<Box<dyn Future<Output = Result<PageContent, HandlerError>> + Send + 'a>>;

/// The content of a page.
pub(super) struct PageContent {
    pub(super) title: String,
    pub(super) introduction: String,
    pub(super) blocks: Vec<PageBlock>,
}

impl OperationPage {
    /// Whether the page is of the instance.
    pub(super) const fn is_of_instance(&self) -> bool {
        self.section.is_of_instance()
    }

    /// The name of the parameter of its path, besides the organization.
    pub(super) fn parameter(&self) -> &'static str {
        let below = if self.is_of_instance() { self.path } else { below_organization(self.path) };
        below.split('{').nth(1).and_then(|rest| rest.split('}').next()).unwrap_or_default()
    }

    /// Finds one of its forms.
    pub(super) fn find_form(&self, action: &str) -> Option<&'static PageForm> {
        self.forms.iter().find(|form| form.action == action)
    }
}

/// The part of a path below the organization.
fn below_organization(path: &'static str) -> &'static str {
    path.strip_prefix("/console/{organization}").unwrap_or(path)
}

impl PageContext<'_> {
    /// The phrases in the language of the page.
    pub(super) fn phrases(&self) -> &'static LocalePhrases {
        self.reader.language.phrases()
    }

    /// The route of an operation.
    pub(super) fn find_operation(&self, id: &str) -> Option<&'static RouteEntry> {
        find_operation(self.state.routes(), id)
    }

    /// A call of an operation, within the organization of the page if there is one.
    pub(super) fn operation(&self, id: &'static str) -> OperationCall {
        let operation_call = OperationCall::new(id);
        let is_inside = self.find_operation(id).is_some_and(|route| route.path.contains("{organization}"));
        match self.is_of_instance() || !is_inside {
            true => operation_call,
            false => operation_call
                .path("organization", &self.access.organization_access().organization.id.to_string()),
        }
    }

    /// Calls an operation as the user.
    pub(super) async fn send(&self, operation_call: OperationCall) -> Result<OperationReply, HandlerError> {
        operation_call.send(self.state, self.request, self.access.caller()).await
    }

    /// Whether the user may call the operation. Operations by assignment depend on the organization, so they are
    /// determined by a call.
    pub(super) fn can_call(&self, operation: &str) -> bool {
        let Some(route) = self.find_operation(operation) else { return false };
        let CallerKind::Bearer(needs) = route.caller else { return false };
        let may_inside = |permission: &'static str| match route.method {
            RouteMethod::Get => self.access.has_permission(permission),
            RouteMethod::Post | RouteMethod::Put | RouteMethod::Patch | RouteMethod::Delete => {
                self.access.can_change(permission)
            }
        };
        match needs {
            RequiredPermission::Nothing => true,
            RequiredPermission::OverInstance(permission) => self.access.has_instance_permission(permission),
            RequiredPermission::InOrganization(permission)
            | RequiredPermission::InOrganizationOrOwner(permission)
            | RequiredPermission::InCredentialOrganization(permission) => may_inside(permission),
            RequiredPermission::OneInOrganization(permissions) => {
                permissions.iter().any(|permission| may_inside(permission))
            }
            RequiredPermission::Assignment => false,
        }
    }
}

/// Shows a page, or its first table as a file.
pub(super) async fn show_operation_page(
    context: &PageContext<'_>,
    page: &'static OperationPage,
    id: &str,
) -> HandlerResult {
    let content = (page.show)(context, id).await?;
    let table = content.blocks.iter().find_map(as_table);
    match (context.query.get("format"), table) {
        (Some("csv"), Some(table)) => {
            let text = render_csv(&table.columns, &table.rows);
            return Ok(file_response(text, "text/csv; charset=utf-8", &format!("{}.csv", table.id)));
        }
        (Some("jsonl"), Some(table)) => {
            let text: String = table.json_lines.iter().map(|line| format!("{line}\n")).collect();
            return Ok(file_response(text, "application/jsonl", &format!("{}.jsonl", table.id)));
        }
        _ => {}
    }
    Ok(context.page_response(block_page(context, page, content).render(&context.frame())))
}

/// A response that shows a secret once.
pub(super) fn secret_page(
    context: &PageContext<'_>,
    page: &'static OperationPage,
    content: PageContent,
) -> Response {
    context.page_response(block_page(context, page, content).render(&context.reader.frame("")))
}

/// A response with this content, for a form that is shown again.
pub(super) fn content_page(
    context: &PageContext<'_>,
    page: &'static OperationPage,
    content: PageContent,
) -> Response {
    context.page_response(block_page(context, page, content).render(&context.frame()))
}

fn block_page<'a>(
    context: &'a PageContext<'_>,
    page: &'static OperationPage,
    content: PageContent,
) -> BlockPageView<'a> {
    let PageContent { title, introduction, blocks } = content;
    BlockPageView { layout: context.layout(page.section), title, introduction, blocks }
}

const fn as_table(block: &PageBlock) -> Option<&TableBlock> {
    match block {
        PageBlock::Table(table) => Some(table),
        PageBlock::Facts(_)
        | PageBlock::Form(_)
        | PageBlock::Steps(_)
        | PageBlock::Secret(_)
        | PageBlock::Figures(_)
        | PageBlock::Chart(_)
        | PageBlock::Views(_)
        | PageBlock::Samples(_) => None,
    }
}

/// A file to download.
pub(super) fn file_response(text: String, content_type: &'static str, name: &str) -> Response {
    let mut response = (StatusCode::OK, text).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    if let Ok(name) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        headers.insert(CONTENT_DISPOSITION, name);
    }
    response
}
