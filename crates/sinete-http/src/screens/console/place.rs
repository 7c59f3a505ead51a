//! Which page of the console is meant, and where somebody wanted to go before they had to sign in.

use crate::call::Call;
use crate::screens::kept::{Comes, Kept};
use crate::security_headers::Scheme;
use axum::http::header::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use sinete_core::limits::FLOW_LIFETIME;
use sinete_core::refusal::{Refusal, RefusalCode};
use std::str::FromStr;

/// A page of one organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The organization, by id or slug.
    pub(super) organization: String,
    pub(super) page: Page,
}

/// What a page is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Page {
    Overview,
    Members,
    Member(String),
    Invitations,
    Roles,
    Role(String),
    Applications,
    Application(String),
    Keys,
    Domains,
    Connections,
    Connection(String),
    Webhooks,
    Webhook(String),
    Trail,
    Event(String),
}

impl Place {
    /// The page that a request names.
    pub(super) async fn of(call: &mut Call) -> Result<Self, Refusal> {
        let mut path = call.route().path.to_owned();
        for (name, value) in call.path_parameters().await? {
            path = path.replace(&format!("{{{name}}}"), &value);
        }
        Self::parse(&path)
    }

    /// The page at a path below the base address.
    pub(super) fn parse(path: &str) -> Result<Self, Refusal> {
        // Ids and short names consist of these, so that a path is the same wherever it is written. What consists of
        // dots alone means another place.
        let is_plain = |it: &&str| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
            it.bytes().all(plain) && it.bytes().any(|byte| byte != b'.')
        };
        let parts: Option<Vec<&str>> = path
            .strip_prefix("/console/")
            .map(|below| below.split('/').collect())
            .filter(|parts: &Vec<&str>| parts.iter().all(is_plain));
        let (organization, page) = match parts.as_deref() {
            Some([organization]) => (organization, Page::Overview),
            Some([organization, "members"]) => (organization, Page::Members),
            Some([organization, "members", member]) => (organization, Page::Member((*member).to_owned())),
            Some([organization, "invitations"]) => (organization, Page::Invitations),
            Some([organization, "roles"]) => (organization, Page::Roles),
            Some([organization, "roles", role]) => (organization, Page::Role((*role).to_owned())),
            Some([organization, "applications"]) => (organization, Page::Applications),
            Some([organization, "applications", id]) => (organization, Page::Application((*id).to_owned())),
            Some([organization, "keys"]) => (organization, Page::Keys),
            Some([organization, "domains"]) => (organization, Page::Domains),
            Some([organization, "connections"]) => (organization, Page::Connections),
            Some([organization, "connections", id]) => (organization, Page::Connection((*id).to_owned())),
            Some([organization, "webhooks"]) => (organization, Page::Webhooks),
            Some([organization, "webhooks", id]) => (organization, Page::Webhook((*id).to_owned())),
            Some([organization, "trail"]) => (organization, Page::Trail),
            Some([organization, "trail", event]) => (organization, Page::Event((*event).to_owned())),
            Some(_) | None => {
                let public = "there is nothing at this address";
                return Err(Refusal::new(RefusalCode::NotFound, public, "no page of the console"));
            }
        };
        Ok(Self { organization: (*organization).to_owned(), page })
    }

    /// Its path below the base address.
    pub(super) fn path(&self) -> String {
        let front = self.front();
        match &self.page {
            Page::Overview => front,
            Page::Members => format!("{front}/members"),
            Page::Member(id) => format!("{front}/members/{id}"),
            Page::Invitations => format!("{front}/invitations"),
            Page::Roles => format!("{front}/roles"),
            Page::Role(id) => format!("{front}/roles/{id}"),
            Page::Applications => format!("{front}/applications"),
            Page::Application(id) => format!("{front}/applications/{id}"),
            Page::Keys => format!("{front}/keys"),
            Page::Domains => format!("{front}/domains"),
            Page::Connections => format!("{front}/connections"),
            Page::Connection(id) => format!("{front}/connections/{id}"),
            Page::Webhooks => format!("{front}/webhooks"),
            Page::Webhook(id) => format!("{front}/webhooks/{id}"),
            Page::Trail => format!("{front}/trail"),
            Page::Event(id) => format!("{front}/trail/{id}"),
        }
    }

    /// The path of the list that the page's one thing stands in.
    pub(super) fn above(&self) -> Option<String> {
        let front = self.front();
        match &self.page {
            Page::Member(_) => Some(format!("{front}/members")),
            Page::Role(_) => Some(format!("{front}/roles")),
            Page::Application(_) => Some(format!("{front}/applications")),
            Page::Connection(_) => Some(format!("{front}/connections")),
            Page::Webhook(_) => Some(format!("{front}/webhooks")),
            _ => None,
        }
    }

    /// The path of its organization's first page.
    pub(super) fn front(&self) -> String {
        format!("/console/{}", self.organization)
    }
}

/// Whether there is a page of one organization at this path.
pub(in crate::screens) fn is_page(path: &str) -> bool {
    Place::parse(path).is_ok()
}

/// The thing of this id in the path. What is no id names nothing.
pub(super) fn named<T: FromStr>(id: &str) -> Result<T, Refusal> {
    let public = "there is no such thing here";
    id.parse().map_err(|_| Refusal::new(RefusalCode::NotFound, public, "no id"))
}

/// Where somebody wanted to go on the console before they had to sign in.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::screens) struct Bound {
    to: String,
}

/// As long as signing in may take.
const KEPT: Kept = Kept { name: "bound", seconds: FLOW_LIFETIME.seconds(), comes: Comes::WithinSite };

impl Bound {
    pub(super) fn to(path: &str) -> Self {
        Self { to: path.to_owned() }
    }

    /// Where this browser wanted to go: to a page of the console, or nowhere.
    pub(in crate::screens) fn of(headers: &HeaderMap, scheme: Scheme) -> Option<String> {
        let bound: Self = KEPT.read(headers, scheme)?;
        (bound.to == "/console" || Place::parse(&bound.to).is_ok()).then_some(bound.to)
    }

    pub(super) fn leave(&self, response: &mut Response, scheme: Scheme) {
        KEPT.leave(response, scheme, self);
    }

    /// The answer, after somebody got there.
    pub(in crate::screens) fn clear(response: &mut Response, scheme: Scheme) {
        KEPT.clear(response, scheme);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_one_path() {
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
            "/console/acme/domains",
            "/console/acme/connections",
            "/console/acme/connections/01936f5e-7c2a-7def-8a1b-2c3d4e5f6078",
            "/console/acme/webhooks",
            "/console/acme/webhooks/01936f5e-7c2a-7def-8a1b-2c3d4e5f6077",
            "/console/acme/trail",
            "/console/acme/trail/01936f5e-7c2a-7def-8a1b-2c3d4e5f6076",
        ] {
            assert_eq!(Place::parse(path).unwrap().path(), path);
        }
    }

    #[test]
    fn what_is_no_page_of_the_console_leads_nowhere() {
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
            "//elsewhere.example/console/acme",
            "https://elsewhere.example/console/acme",
        ] {
            assert!(Place::parse(path).is_err(), "{path}");
        }
    }
}
