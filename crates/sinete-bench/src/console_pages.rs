//! The pages of the console, from the program's own table of routes: each with values for its path, and lists also as
//! their second and last page, searched, sorted and filtered.

use crate::failed::BenchError;
use sinete_http::router::ROUTES;
use sinete_server::route::{CallerKind, RouteAvailability, RouteMethod};
use std::collections::BTreeMap;

/// Who sees a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConsoleArea {
    /// Operators.
    Instance,
    /// Administrators of an organization.
    Organization,
}

impl ConsoleArea {
    fn from_path(path: &str) -> Self {
        if path.starts_with("/instance") { Self::Instance } else { Self::Organization }
    }
}

/// The values of path parameters and of filters.
#[derive(Clone, Debug, Default)]
pub struct PageParameters(BTreeMap<(ConsoleArea, &'static str), String>);

impl PageParameters {
    /// Sets a value for the pages of an area. The last one is used.
    pub fn set(&mut self, area: ConsoleArea, name: &'static str, value: String) {
        self.0.insert((area, name), value);
    }

    /// Fills a template in which `{name}` is a parameter.
    fn fill(&self, area: ConsoleArea, template: &str) -> Result<String, BenchError> {
        let mut filled = template.to_owned();
        for name in parameter_names(template) {
            let value = self.0.iter().find(|((of, parameter), _)| *of == area && *parameter == name);
            let missing =
                || BenchError::Unexpected(format!("there is no value for {{{name}}} of {template}"));
            let (_, value) = value.ok_or_else(missing)?;
            filled = filled.replace(&format!("{{{name}}}"), value);
        }
        Ok(filled)
    }
}

fn parameter_names(template: &str) -> impl Iterator<Item = &str> {
    template.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
}

/// A page that is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredPage {
    /// Who sees it.
    pub area: ConsoleArea,
    /// The path of its route.
    pub route: &'static str,
    /// What of it is requested.
    pub view: &'static str,
    /// The path and query of the request.
    pub path: String,
}

/// The name of a page as it is first seen.
pub const FIRST_VIEW: &str = "as opened";

/// Searches and filters: the path of a route, what it is called, and its query.
const FILTERS: &[(&str, &str, &str)] = &[
    ("/console/{organization}/members", "searched by a prefix", "search=mar"),
    ("/console/{organization}/members", "searched by two words", "search=maria%20silva"),
    ("/console/{organization}/members", "searched without a match", "search=zzz"),
    ("/console/{organization}/audit-log", "filtered by kind", "kind=membership.created"),
    ("/console/{organization}/audit-log", "filtered by day", "from={day}&to={day}"),
    ("/console/{organization}/audit-log", "filtered by subject", "subject={member}"),
    ("/console/{organization}/audit-log", "without sign-ins", "sign_ins=exclude"),
    ("/console/{organization}/grants", "filtered by member", "member={member}"),
    ("/console/{organization}/approvals", "filtered by member", "member={member}"),
    ("/console/{organization}/search", "searched", "q=maria"),
    ("/console/{organization}/search", "searched without a match", "q=zzz"),
    ("/console/{organization}/usage", "by month", "period=month"),
    ("/instance/organizations", "searched by a prefix", "search=tenant%205"),
    ("/instance/organizations", "searched without a match", "search=zzz"),
    ("/instance/users", "searched by a name", "search=maria"),
    ("/instance/users", "searched by an address", "search=person77%40example.com"),
    ("/instance/users", "searched by a prefix of an address", "search=person77"),
    ("/instance/users", "searched without a match", "search=zzz"),
    ("/instance/events", "filtered by kind", "kind=membership.created"),
    ("/instance/events", "filtered by organization", "organization={large_organization}"),
    ("/instance/events", "filtered by account", "account={account}"),
    ("/instance/events", "filtered by day", "since={day}&until={day}"),
    ("/instance/assignments", "filtered by organization", "organization={large_organization}"),
    ("/instance/search", "searched", "q=tenant"),
    ("/instance/search", "searched without a match", "q=zzz"),
    ("/instance/usage", "by month", "period=month"),
    ("/instance/usage", "of one organization", "organization={large_organization}"),
];

/// The paths of all pages, as the table of routes has them.
fn page_routes() -> impl Iterator<Item = &'static str> {
    let pages = ROUTES.iter().filter(|route| {
        route.method == RouteMethod::Get
            && route.availability == RouteAvailability::WithConsole
            && route.caller == CallerKind::SignedInUser
    });
    pages.map(|route| route.path)
}

/// Lists every page once, and its searches and filters.
pub fn list_pages(parameters: &PageParameters) -> Result<Vec<MeasuredPage>, BenchError> {
    let mut pages = Vec::new();
    for route in page_routes() {
        let area = ConsoleArea::from_path(route);
        let path = parameters.fill(area, route)?;
        pages.push(MeasuredPage { area, route, view: FIRST_VIEW, path: path.clone() });
        for (_, view, query) in FILTERS.iter().filter(|(of, ..)| *of == route) {
            let query = parameters.fill(area, query)?;
            pages.push(MeasuredPage { area, route, view, path: format!("{path}?{query}") });
        }
    }
    Ok(pages)
}

/// The links of a list to other views of itself, as its page contains them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListLinks {
    /// The next page.
    pub next: Option<String>,
    /// The list sorted by its first column.
    pub sorted: Option<String>,
    /// The list with the largest page size, if it is not the one without a choice.
    pub largest: Option<String>,
}

impl ListLinks {
    /// Finds the links in a page with this path.
    pub fn find(html: &str, path: &str) -> Self {
        let page_path = path.split('?').next().unwrap_or_default();
        let links: Vec<String> =
            html.split("href=\"").skip(1).filter_map(|rest| link_to(rest, page_path)).collect();
        let has = |link: &str, name: &str| {
            let query = link.split_once('?').map(|(_, query)| query).unwrap_or_default();
            query.split('&').any(|pair| pair.split_once('=').is_some_and(|(key, _)| key == name))
        };
        let is_next = |link: &&String| has(link, "after") || has(link, "page");
        let is_file = |link: &str| has(link, "format");
        let is_sorted = |link: &&String| has(link, "sort") && !is_file(link);
        Self {
            next: links.iter().find(is_next).cloned(),
            sorted: links.iter().find(is_sorted).cloned(),
            largest: links
                .iter()
                .filter(|link| page_size(link) >= DEFAULT_PAGE_SIZE_MAX)
                .max_by_key(|link| page_size(link))
                .cloned(),
        }
    }
}

/// The largest page size of lists without a choice.
const DEFAULT_PAGE_SIZE_MAX: u32 = 50;

/// The page size that a link ends with; zero if there is none.
fn page_size(link: &str) -> u32 {
    link.rsplit_once("size=").and_then(|(_, size)| size.parse().ok()).unwrap_or_default()
}

/// The link that begins here, if it has this path and a query.
fn link_to(rest: &str, page_path: &str) -> Option<String> {
    let (link, _) = rest.split_once('"')?;
    let link = link.replace("&amp;", "&").replace("&#38;", "&");
    link.strip_prefix(page_path)?.starts_with('?').then_some(link)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parameters that an instance is filled with.
    fn parameters() -> PageParameters {
        let mut parameters = PageParameters::default();
        let of_instance =
            ["organization", "account", "client", "api", "webhook", "event", "large_organization", "day"];
        let of_organization = [
            "organization",
            "member",
            "role",
            "client",
            "connection",
            "provider",
            "webhook",
            "event",
            "api",
            "setup_link",
            "message",
            "day",
        ];
        for name in of_instance {
            parameters.set(ConsoleArea::Instance, name, format!("i-{name}"));
        }
        for name in of_organization {
            parameters.set(ConsoleArea::Organization, name, format!("o-{name}"));
        }
        parameters
    }

    #[test]
    fn console_benchmark_has_a_value_for_every_parameter_of_the_route_table() {
        let pages = list_pages(&parameters()).unwrap();
        assert!(pages.iter().filter(|page| page.view == FIRST_VIEW).count() > 60, "{}", pages.len());
        assert!(pages.iter().all(|page| !page.path.contains('{')), "{pages:?}");
        let has = |path: &str| pages.iter().any(|page| page.path == path);
        assert!(has("/console/o-organization/members?search=mar") && has("/instance/users/i-account"));
    }

    #[test]
    fn console_benchmark_names_a_parameter_without_a_value() {
        let missing = list_pages(&PageParameters::default()).unwrap_err().to_string();
        assert!(missing.starts_with("there is no value for {"), "{missing}");
    }

    #[test]
    fn console_benchmark_filters_belong_to_pages_of_the_route_table() {
        for (route, ..) in FILTERS {
            assert!(page_routes().any(|known| known == *route), "{route}");
        }
    }

    #[test]
    fn console_list_links_are_those_of_the_same_path() {
        let html = "<a href=\"/console/acme/members?search=a&#38;after=c1\">Next</a>\
            <a href=\"/console/acme/members/1?after=x\">other</a><a href=\"/console/acme/members?size=100\">100</a>\
            <a href=\"/console/acme/members?sort=1&amp;format=csv\">CSV</a>\
            <a href=\"/console/acme/members?sort=-1\">Name</a>";
        let list_links = ListLinks::find(html, "/console/acme/members?search=a");
        assert_eq!(list_links.next.as_deref(), Some("/console/acme/members?search=a&after=c1"));
        assert_eq!(list_links.sorted.as_deref(), Some("/console/acme/members?sort=-1"));
        assert_eq!(list_links.largest.as_deref(), Some("/console/acme/members?size=100"));
        let default_links =
            ListLinks::find("<a href=\"/console/acme/keys?size=25\">25</a>", "/console/acme/keys");
        assert_eq!(default_links.largest, None, "the one without a choice is larger");
        assert_eq!(ListLinks::find("<a href=\"/console\">", "/console"), ListLinks::default());
    }
}
