//! The pages of the console.

use super::operation_pages;
use super::operations::OperationPage;
use crate::state::RoutedRequest;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use std::str::FromStr;

/// A page of one organization or of the instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReturnTo {
    /// The organization, by id or slug.
    pub(super) organization: String,
    pub(super) page: ConsolePage,
    path: String,
}

/// A kind of page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ConsolePage {
    Overview,
    Members,
    Member(String),
    Invitations,
    Roles,
    Role(String),
    Applications,
    Application(String),
    ApplicationTest(String),
    ApiKeys,
    Domains,
    Connections,
    Connection(String),
    ConnectionTest(String),
    ConnectionWizard(String),
    Webhooks,
    Webhook(String),
    AuditLog,
    Event(String),
    /// A page of operations, with the parameter of its path.
    Operation(&'static OperationPage, String),
    Email(String),
    /// The styles of a sample of such a message.
    EmailStyle(String),
    /// The same for a message of the instance.
    InstanceEmailStyle,
}

/// Makes a page from the parameter of its path.
type PageConstructor = fn(String) -> ConsolePage;

/// The pages by the path of their route. Pages of operations state their own.
const ORGANIZATION_PAGES: &[(&str, PageConstructor)] = &[
    ("/console/{organization}", |_| ConsolePage::Overview),
    ("/console/{organization}/members", |_| ConsolePage::Members),
    ("/console/{organization}/members/{member}", ConsolePage::Member),
    ("/console/{organization}/invitations", |_| ConsolePage::Invitations),
    ("/console/{organization}/roles", |_| ConsolePage::Roles),
    ("/console/{organization}/roles/{role}", ConsolePage::Role),
    ("/console/{organization}/applications", |_| ConsolePage::Applications),
    ("/console/{organization}/applications/{client}", ConsolePage::Application),
    ("/console/{organization}/applications/{client}/test", ConsolePage::ApplicationTest),
    ("/console/{organization}/keys", |_| ConsolePage::ApiKeys),
    ("/console/{organization}/domains", |_| ConsolePage::Domains),
    ("/console/{organization}/connections", |_| ConsolePage::Connections),
    ("/console/{organization}/connections/{connection}", ConsolePage::Connection),
    ("/console/{organization}/connections/new/{provider}", ConsolePage::ConnectionWizard),
    ("/console/{organization}/connections/{connection}/test", ConsolePage::ConnectionTest),
    ("/console/{organization}/webhooks", |_| ConsolePage::Webhooks),
    ("/console/{organization}/webhooks/{webhook}", ConsolePage::Webhook),
    ("/console/{organization}/audit-log", |_| ConsolePage::AuditLog),
    ("/console/{organization}/audit-log/{event}", ConsolePage::Event),
    ("/console/{organization}/emails/{message}", ConsolePage::Email),
    ("/console/{organization}/emails/{message}/style", ConsolePage::EmailStyle),
    ("/instance/emails/style", |_| ConsolePage::InstanceEmailStyle),
];

/// The path of the pages of the instance.
pub(super) const INSTANCE_PATH: &str = "/instance";
/// The parameter that names the organization of a page.
const ORGANIZATION_PARAMETER: &str = "organization";

impl PartialEq for OperationPage {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path
    }
}

impl Eq for OperationPage {}

impl ReturnTo {
    /// The page of a request, from the route that the router found: the path is not matched again.
    pub(super) async fn from_request(request: &mut RoutedRequest) -> Result<Self, Refusal> {
        let route = request.route().path;
        let parameters = request.path_parameters().await?;
        let page = PageTemplate::all().find(|page| page.path() == route);
        page.and_then(|page| page.fill(&parameters)).ok_or_else(no_such_page)
    }

    /// Parses a path below the base URL that a cookie contains.
    pub(super) fn parse(path: &str) -> Result<Self, Refusal> {
        PageTemplate::all()
            .find_map(|page| page.fill(&match_template(page.path(), path)?))
            .ok_or_else(no_such_page)
    }

    /// The path below the base URL.
    pub(super) fn path(&self) -> String {
        self.path.clone()
    }

    /// The path of the list that contains the page's resource.
    pub(super) fn parent_path(&self) -> Option<String> {
        let front = self.organization_path();
        match &self.page {
            ConsolePage::Member(_) => Some(format!("{front}/members")),
            ConsolePage::Role(_) => Some(format!("{front}/roles")),
            ConsolePage::Application(_) => Some(format!("{front}/applications")),
            ConsolePage::Connection(_)
            | ConsolePage::ConnectionTest(_)
            | ConsolePage::ConnectionWizard(_) => Some(format!("{front}/connections")),
            ConsolePage::Webhook(_) => Some(format!("{front}/webhooks")),
            ConsolePage::Operation(page, id) if !id.is_empty() => {
                Some(format!("{front}{}", page.section.path()))
            }
            _ => None,
        }
    }

    /// Whether it is a page of the instance.
    pub(super) const fn is_of_instance(&self) -> bool {
        match &self.page {
            ConsolePage::Operation(page, _) => page.is_of_instance(),
            ConsolePage::InstanceEmailStyle => true,
            _ => false,
        }
    }

    /// The path of the organization's overview, or of the instance's.
    pub(super) fn organization_path(&self) -> String {
        match self.is_of_instance() {
            true => INSTANCE_PATH.to_owned(),
            false => format!("/console/{}", self.organization),
        }
    }
}

/// A page by the path of its route.
#[derive(Clone, Copy)]
enum PageTemplate {
    Organization(&'static str, PageConstructor),
    Operation(&'static OperationPage),
}

impl PageTemplate {
    /// All pages of organizations and of the instance.
    fn all() -> impl Iterator<Item = Self> {
        let of_organization = ORGANIZATION_PAGES.iter().map(|(path, page)| Self::Organization(path, *page));
        operation_pages().map(Self::Operation).chain(of_organization)
    }

    const fn path(self) -> &'static str {
        match self {
            Self::Organization(path, _) => path,
            Self::Operation(page) => page.path,
        }
    }

    /// The page with these parameters, unless one cannot be part of a path. Ids and slugs consist of a few characters,
    /// so that a path has one spelling. Parameters of only dots are rejected.
    fn fill(self, parameters: &[(String, String)]) -> Option<ReturnTo> {
        let is_of_instance = matches!(self, Self::Operation(page) if page.is_of_instance());
        let (mut organization, mut id, mut path) = (String::new(), String::new(), self.path().to_owned());
        for (name, value) in parameters {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
            if !value.bytes().all(plain) || value.bytes().all(|byte| byte == b'.') {
                return None;
            }
            path = path.replace(&format!("{{{name}}}"), value);
            match name == ORGANIZATION_PARAMETER && !is_of_instance {
                true => organization.clone_from(value),
                false => {
                    // Of two parameters, the second is below the first.
                    id.push_str(if id.is_empty() { "" } else { "/" });
                    id.push_str(value);
                }
            }
        }
        let page = match self {
            Self::Organization(_, page) => page(id),
            Self::Operation(page) => ConsolePage::Operation(page, id),
        };
        Some(ReturnTo { organization, page, path })
    }
}

/// The parameters of a path that has this form.
fn match_template(template: &str, path: &str) -> Option<Vec<(String, String)>> {
    if template.split('/').count() != path.split('/').count() {
        return None;
    }
    let mut parameters = Vec::new();
    for (template_segment, segment) in template.split('/').zip(path.split('/')) {
        match template_segment.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
            Some(name) => parameters.push((name.to_owned(), segment.to_owned())),
            None if template_segment == segment => {}
            None => return None,
        }
    }
    Some(parameters)
}

fn no_such_page() -> Refusal {
    Refusal::because(RequestRefusal::PathNotFound, "no page of the console")
}

/// Whether the path is a page of an organization.
pub(crate) fn is_console_page(path: &str) -> bool {
    ReturnTo::parse(path).is_ok()
}

/// Parses an id in the path; an invalid one is answered as not found.
pub(super) fn parse_page_id<T: FromStr>(id: &str) -> Result<T, Refusal> {
    id.parse().map_err(|_| Refusal::because(RequestRefusal::NotFound, "no id"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn console_page_path_round_trips() {
        for path in [
            "/console/acme",
            "/console/acme/members",
            "/console/acme/members/01936f5e-7c2a-7def-8a1b-2c3d4e5f6071",
            "/console/acme/invitations",
            "/console/acme/keys",
            "/console/acme/roles",
            "/console/acme/roles/01936f5e-7c2a-7def-8a1b-2c3d4e5f6072",
            "/console/acme/applications",
            "/console/acme/applications/ledger_2.0",
            "/console/acme/applications/ledger_2.0/test",
            "/console/acme/applications/ledger_2.0/settings",
            "/instance/applications/ledger_2.0/settings",
            "/console/acme/domains",
            "/console/acme/connections",
            "/console/acme/connections/01936f5e-7c2a-7def-8a1b-2c3d4e5f6078",
            "/console/acme/connections/01936f5e-7c2a-7def-8a1b-2c3d4e5f6078/test",
            "/console/acme/connections/new/okta",
            "/console/acme/webhooks",
            "/console/acme/webhooks/01936f5e-7c2a-7def-8a1b-2c3d4e5f6077",
            "/console/acme/audit-log",
            "/console/acme/audit-log/01936f5e-7c2a-7def-8a1b-2c3d4e5f6076",
            "/instance",
            "/instance/users",
            "/instance/users/01936f5e-7c2a-7def-8a1b-2c3d4e5f6071",
            "/instance/organizations/acme",
            "/console/acme/emails/invitation",
            "/console/acme/emails/invitation/style",
            "/instance/emails/style",
            "/console/acme/branding",
            "/console/acme/apis/01936f5e-7c2a-7def-8a1b-2c3d4e5f6071/relationships",
            "/instance/branding",
            "/instance/apis/01936f5e-7c2a-7def-8a1b-2c3d4e5f6071/relationships",
            "/instance/apis/01936f5e-7c2a-7def-8a1b-2c3d4e5f6071/organizations/acme/relationships",
        ] {
            assert_eq!(ReturnTo::parse(path).unwrap().path(), path);
        }
    }

    #[cfg(feature = "screens")]
    #[test]
    fn console_route_is_exactly_one_page() {
        use crate::console::routes::ROUTES;
        use sinete_screens::assets::CONSOLE_STYLE;
        let others = ["/console", CONSOLE_STYLE.path];
        for route in ROUTES.iter().filter(|route| !others.contains(&route.path)) {
            let pages = PageTemplate::all().filter(|page| page.path() == route.path).count();
            assert_eq!(pages, 1, "{}", route.path);
        }
        for page in PageTemplate::all() {
            let is_served = ROUTES.iter().any(|route| route.path == page.path());
            assert!(is_served, "{}", page.path());
        }
    }

    #[test]
    fn console_page_path_that_is_unknown_is_refused() {
        for path in [
            "",
            "/console",
            "/console/",
            "/console//members",
            "/console/acme/secrets",
            "/console/acme/members/",
            "/console/acme/members/1/2",
            "/console/../my-account",
            "/console/acme/applications/..",
            "/console/./members",
            "/console/a b",
            "/console/acme?x=1",
            "/instance/",
            "/instance/secrets",
            "/instance/users/..",
            "/instance/users/1/2",
            "//elsewhere.example/console/acme",
            "https://elsewhere.example/console/acme",
        ] {
            assert!(ReturnTo::parse(path).is_err(), "{path}");
        }
    }
}
