//! The API explorer: the operations of the OpenAPI description, and a page for each. It has no script
//! (decision 0296), and is in English, as the description is.

use crate::assets::API_STYLE;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The list of operations.
#[derive(Clone, Debug)]
pub struct ApiOverviewView<'a> {
    /// The version of the API.
    pub version: &'a str,
    /// What the operations are filtered by; empty for all.
    pub search: &'a str,
    /// The operations by subject.
    pub groups: Vec<OperationGroup<'a>>,
}

/// The operations of one subject.
#[derive(Clone, Debug)]
pub struct OperationGroup<'a> {
    /// The subject.
    pub name: &'a str,
    /// Its description.
    pub description: &'a str,
    /// Its operations.
    pub operations: Vec<OperationLine<'a>>,
}

/// An operation in the list.
#[derive(Clone, Debug)]
pub struct OperationLine<'a> {
    /// The operation id.
    pub id: &'a str,
    /// The method, in capitals.
    pub method: String,
    /// The path.
    pub path: &'a str,
    /// What it does.
    pub summary: &'a str,
}

/// An operation in full.
#[derive(Clone, Debug)]
pub struct ApiOperationView<'a> {
    /// Its name and path.
    pub line: OperationLine<'a>,
    /// What it does, in paragraphs.
    pub description: Vec<DescriptionText>,
    /// The credentials of which it accepts any.
    pub credentials: Vec<DescriptionText>,
    /// The parameters in path, query and headers.
    pub parameters: Vec<FieldDescription>,
    /// The body of the request.
    pub request: Option<BodyDescription>,
    /// A command that performs it.
    pub command: String,
    /// Its responses.
    pub responses: Vec<ResponseDescription<'a>>,
}

/// A parameter, or a member of a body.
#[derive(Clone, Debug)]
pub struct FieldDescription {
    /// Its name; members of members are separated by a full stop.
    pub name: String,
    /// Its type and limits.
    pub kind: String,
    /// Whether it must be present.
    pub is_required: bool,
    /// Its description.
    pub description: DescriptionText,
}

/// A body.
#[derive(Clone, Debug)]
pub struct BodyDescription {
    /// The media type.
    pub media_type: String,
    /// Its members.
    pub fields: Vec<FieldDescription>,
    /// An example.
    pub example: Option<String>,
}

/// A response.
#[derive(Clone, Debug)]
pub struct ResponseDescription<'a> {
    /// The status.
    pub status: &'a str,
    /// When it is returned.
    pub description: DescriptionText,
    /// Its body.
    pub body: Option<BodyDescription>,
}

/// A text in which code is between backticks.
#[derive(Clone, Debug, Default)]
pub struct DescriptionText(pub String);

impl DescriptionText {
    /// The parts of the text, each with whether it is code.
    pub(crate) fn spans(&self) -> Vec<(bool, &str)> {
        self.0.split('`').enumerate().map(|(number, part)| (number % 2 == 1, part)).collect()
    }
}

#[derive(Template)]
#[template(path = "api_overview.html")]
struct ApiOverviewPage<'a> {
    frame: &'a PageFrame<'a>,
    title: &'a str,
    style: &'static str,
    view: &'a ApiOverviewView<'a>,
}

#[derive(Template)]
#[template(path = "api_operation.html")]
struct ApiOperationPage<'a> {
    frame: &'a PageFrame<'a>,
    title: &'a str,
    style: &'static str,
    view: &'a ApiOperationView<'a>,
}

impl ApiOverviewView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        render_template(&ApiOverviewPage { frame, title: "API", style: API_STYLE.path, view: self })
    }
}

impl ApiOperationView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let title = self.line.summary;
        render_template(&ApiOperationPage { frame, title, style: API_STYLE.path, view: self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branding::PageBranding;
    use crate::language::UiLanguage;

    #[test]
    fn api_explorer_escapes_its_values_and_has_no_script() {
        let hostile = "\"><script>alert(1)</script>";
        let line = || OperationLine { id: "x", method: "GET".to_owned(), path: hostile, summary: hostile };
        let text = || DescriptionText(format!("{hostile} `{hostile}`"));
        let operations = vec![line()];
        let overview = ApiOverviewView {
            version: hostile,
            search: hostile,
            groups: vec![OperationGroup { name: hostile, description: hostile, operations }],
        };
        let field = FieldDescription {
            name: hostile.to_owned(),
            kind: hostile.to_owned(),
            is_required: true,
            description: text(),
        };
        let body = BodyDescription {
            media_type: hostile.to_owned(),
            fields: vec![field.clone()],
            example: Some(hostile.to_owned()),
        };
        let operation = ApiOperationView {
            line: line(),
            description: vec![text()],
            credentials: vec![text()],
            parameters: vec![field],
            request: Some(body.clone()),
            command: hostile.to_owned(),
            responses: vec![ResponseDescription { status: hostile, description: text(), body: Some(body) }],
        };
        let brand = PageBranding::default();
        let frame = PageFrame::without_script(UiLanguage::English, "/id", &brand);
        for page in [overview.render(&frame), operation.render(&frame)] {
            assert!(page.starts_with("<!doctype html>") && page.contains("&#60;script&#62;"), "{page}");
            assert!(!page.contains("<script") && !page.contains("style=\"") && !page.contains("<style"));
            assert!(page.contains("href=\"/id/docs"));
        }
    }

    #[test]
    fn description_text_splits_at_backticks() {
        let text = DescriptionText("Requires `roles:write`, or nothing.".to_owned());
        assert_eq!(text.spans(), [(false, "Requires "), (true, "roles:write"), (false, ", or nothing.")]);
        assert_eq!(DescriptionText("plain".to_owned()).spans(), [(false, "plain")]);
    }
}
