//! The pages of the console, and the page to return to after sign-in.

use super::operation_pages;
use super::operations::OperationPage;
use crate::accounts::account_pages::CHANGE_PASSWORD_PATH;
use crate::screens::form_cookie::{FormCookie, FormCookieScope};
use crate::state::RoutedRequest;
use axum::http::header::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use sinete_core::limits::FLOW_LIFETIME;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_server::security_headers::IssuerScheme;
use std::str::FromStr;

/// A page of one organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReturnTo {
    /// The organization, by id or slug.
    pub(super) organization: String,
    pub(super) page: ConsolePage,
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
    Keys,
    Domains,
    Connections,
    Connection(String),
    Webhooks,
    Webhook(String),
    Trail,
    Event(String),
    /// A page of operations, with the parameter of its path.
    Operation(&'static OperationPage, String),
    Email(String),
}

/// The path of the pages of the instance.
pub(super) const INSTANCE_PATH: &str = "/instance";

impl PartialEq for OperationPage {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path
    }
}

impl Eq for OperationPage {}

impl ReturnTo {
    /// The page of a request.
    pub(super) async fn from_request(call: &mut RoutedRequest) -> Result<Self, Refusal> {
        let mut path = call.route().path.to_owned();
        for (name, value) in call.path_parameters().await? {
            path = path.replace(&format!("{{{name}}}"), &value);
        }
        Self::parse(&path)
    }

    /// Parses a path below the base URL.
    pub(super) fn parse(path: &str) -> Result<Self, Refusal> {
        // Ids and slugs consist of these characters, so that a path has one spelling. Segments of only dots
        // are rejected.
        let is_plain = |it: &&str| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
            it.bytes().all(plain) && it.bytes().any(|byte| byte != b'.')
        };
        let is_whole = path.split('/').skip(1).all(|part| !part.is_empty() && is_plain(&part));
        if is_whole && let Some(found) = find_operation_page(path) {
            return Ok(found);
        }
        let parts: Option<Vec<&str>> = path
            .strip_prefix("/console/")
            .map(|below| below.split('/').collect())
            .filter(|parts: &Vec<&str>| parts.iter().all(is_plain));
        let (organization, page) = match parts.as_deref() {
            Some([organization]) => (organization, ConsolePage::Overview),
            Some([organization, "members"]) => (organization, ConsolePage::Members),
            Some([organization, "members", member]) => {
                (organization, ConsolePage::Member((*member).to_owned()))
            }
            Some([organization, "invitations"]) => (organization, ConsolePage::Invitations),
            Some([organization, "roles"]) => (organization, ConsolePage::Roles),
            Some([organization, "roles", role]) => (organization, ConsolePage::Role((*role).to_owned())),
            Some([organization, "applications"]) => (organization, ConsolePage::Applications),
            Some([organization, "applications", id]) => {
                (organization, ConsolePage::Application((*id).to_owned()))
            }
            Some([organization, "applications", id, "test"]) => {
                (organization, ConsolePage::ApplicationTest((*id).to_owned()))
            }
            Some([organization, "keys"]) => (organization, ConsolePage::Keys),
            Some([organization, "domains"]) => (organization, ConsolePage::Domains),
            Some([organization, "connections"]) => (organization, ConsolePage::Connections),
            Some([organization, "connections", id]) => {
                (organization, ConsolePage::Connection((*id).to_owned()))
            }
            Some([organization, "webhooks"]) => (organization, ConsolePage::Webhooks),
            Some([organization, "webhooks", id]) => (organization, ConsolePage::Webhook((*id).to_owned())),
            Some([organization, "trail"]) => (organization, ConsolePage::Trail),
            Some([organization, "trail", event]) => (organization, ConsolePage::Event((*event).to_owned())),
            Some([organization, "emails", message]) => {
                (organization, ConsolePage::Email((*message).to_owned()))
            }
            Some(_) | None => {
                return Err(Refusal::because(RequestRefusal::PathNotFound, "no page of the console"));
            }
        };
        Ok(Self { organization: (*organization).to_owned(), page })
    }

    /// The path below the base URL.
    pub(super) fn path(&self) -> String {
        let front = self.organization_path();
        match &self.page {
            ConsolePage::Overview => front,
            ConsolePage::Members => format!("{front}/members"),
            ConsolePage::Member(id) => format!("{front}/members/{id}"),
            ConsolePage::Invitations => format!("{front}/invitations"),
            ConsolePage::Roles => format!("{front}/roles"),
            ConsolePage::Role(id) => format!("{front}/roles/{id}"),
            ConsolePage::Applications => format!("{front}/applications"),
            ConsolePage::Application(id) => format!("{front}/applications/{id}"),
            ConsolePage::ApplicationTest(id) => format!("{front}/applications/{id}/test"),
            ConsolePage::Keys => format!("{front}/keys"),
            ConsolePage::Domains => format!("{front}/domains"),
            ConsolePage::Connections => format!("{front}/connections"),
            ConsolePage::Connection(id) => format!("{front}/connections/{id}"),
            ConsolePage::Webhooks => format!("{front}/webhooks"),
            ConsolePage::Webhook(id) => format!("{front}/webhooks/{id}"),
            ConsolePage::Trail => format!("{front}/trail"),
            ConsolePage::Event(id) => format!("{front}/trail/{id}"),
            ConsolePage::Operation(page, id) => {
                let path = page.path.replace(&format!("{{{}}}", page.parameter()), id);
                path.replace("/console/{organization}", &front)
            }
            ConsolePage::Email(message) => format!("{front}/emails/{message}"),
        }
    }

    /// The path of the list that contains the page's resource.
    pub(super) fn parent_path(&self) -> Option<String> {
        let front = self.organization_path();
        match &self.page {
            ConsolePage::Member(_) => Some(format!("{front}/members")),
            ConsolePage::Role(_) => Some(format!("{front}/roles")),
            ConsolePage::Application(_) => Some(format!("{front}/applications")),
            ConsolePage::Connection(_) => Some(format!("{front}/connections")),
            ConsolePage::Webhook(_) => Some(format!("{front}/webhooks")),
            ConsolePage::Operation(page, id) if !id.is_empty() => {
                Some(format!("{front}{}", page.section.path()))
            }
            _ => None,
        }
    }

    /// Whether it is a page of the instance.
    pub(super) const fn is_of_instance(&self) -> bool {
        matches!(&self.page, ConsolePage::Operation(page, _) if page.is_of_instance())
    }

    /// The path of the organization's overview, or of the instance's.
    pub(super) fn organization_path(&self) -> String {
        match self.is_of_instance() {
            true => INSTANCE_PATH.to_owned(),
            false => format!("/console/{}", self.organization),
        }
    }
}

/// Finds the page of operations at a path.
fn find_operation_page(path: &str) -> Option<ReturnTo> {
    operation_pages().find_map(|page| {
        let (mut organization, mut id) = (String::new(), String::new());
        let (known, given) = (page.path.split('/'), path.split('/'));
        if known.clone().count() != given.clone().count() {
            return None;
        }
        for (known, given) in known.zip(given) {
            match known.strip_prefix('{') {
                Some("organization}") if !page.is_of_instance() => given.clone_into(&mut organization),
                Some(_) => given.clone_into(&mut id),
                None if known == given => {}
                None => return None,
            }
        }
        Some(ReturnTo { organization, page: ConsolePage::Operation(page, id) })
    })
}

/// Whether the path is a page of an organization.
pub(crate) fn is_console_page(path: &str) -> bool {
    ReturnTo::parse(path).is_ok()
}

/// Parses an id in the path; an invalid one is answered as not found.
pub(super) fn parse_page_id<T: FromStr>(id: &str) -> Result<T, Refusal> {
    id.parse().map_err(|_| Refusal::because(RequestRefusal::NotFound, "no id"))
}

/// The page to return to after sign-in.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedReturnTo {
    to: String,
}

/// Valid as long as a sign-in may take.
const RETURN_TO_COOKIE: FormCookie =
    FormCookie { name: "bound", seconds: FLOW_LIFETIME.seconds(), scope: FormCookieScope::SameSiteStrict };

impl SavedReturnTo {
    pub(crate) fn new(path: &str) -> Self {
        Self { to: path.to_owned() }
    }

    /// Reads the page from the cookie, if it is a page of the console or the password form.
    pub(crate) fn from_cookie(headers: &HeaderMap, scheme: IssuerScheme) -> Option<String> {
        let bound: Self = RETURN_TO_COOKIE.read_cookie(headers, scheme)?;
        (bound.to == "/console" || bound.to == CHANGE_PASSWORD_PATH || ReturnTo::parse(&bound.to).is_ok())
            .then_some(bound.to)
    }

    pub(crate) fn set_cookie(&self, response: &mut Response, scheme: IssuerScheme) {
        RETURN_TO_COOKIE.set_cookie(response, scheme, self);
    }

    /// Removes the cookie.
    pub(crate) fn clear_cookie(response: &mut Response, scheme: IssuerScheme) {
        RETURN_TO_COOKIE.clear_cookie(response, scheme);
    }
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
            "/console/acme/domains",
            "/console/acme/connections",
            "/console/acme/connections/01936f5e-7c2a-7def-8a1b-2c3d4e5f6078",
            "/console/acme/webhooks",
            "/console/acme/webhooks/01936f5e-7c2a-7def-8a1b-2c3d4e5f6077",
            "/console/acme/trail",
            "/console/acme/trail/01936f5e-7c2a-7def-8a1b-2c3d4e5f6076",
            "/instance",
            "/instance/users",
            "/instance/users/01936f5e-7c2a-7def-8a1b-2c3d4e5f6071",
            "/instance/organizations/acme",
            "/console/acme/emails/invitation",
        ] {
            assert_eq!(ReturnTo::parse(path).unwrap().path(), path);
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
