//! The rows about the domains of an organization.

use super::super::managed;
use super::{does, lists, makes, shows};
use crate::manage::domains;
use crate::route::Convention::{Changes, Repeatable};
use crate::route::Needs::InOrganization;
use crate::route::Verb::{Delete, Get, Post};
use crate::route::{Operation, Route, Tag};

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists the domains that an organization calls its own, with the records that prove them.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/domains",
            InOrganization("domains:manage"),
            lists("listDomains", Tag::SingleSignOn, &domains::DOMAIN),
            |state, call| Box::pin(domains::list(state, call)),
        )
    },
    Route {
        description: "Adds a domain, and shows the record that proves it once it is published.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/domains",
            InOrganization("domains:manage"),
            Operation {
                follows: &[Repeatable, Changes],
                ..makes("addDomain", Tag::SingleSignOn, &domains::NEW_DOMAIN, &domains::DOMAIN)
            },
            |state, call| Box::pin(domains::add(state, call)),
        )
    },
    Route {
        description: "Shows a domain.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/domains/{domain}",
            InOrganization("domains:manage"),
            shows("getDomain", Tag::SingleSignOn, &domains::DOMAIN),
            |state, call| Box::pin(domains::show(state, call)),
        )
    },
    Route {
        description: "Looks for the record of a domain. Where it is found, the domain is the organization's own.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/domains/{domain}/verify",
            InOrganization("domains:manage"),
            Operation { follows: &[Changes], ..shows("verifyDomain", Tag::SingleSignOn, &domains::DOMAIN) },
            |state, call| Box::pin(domains::verify(state, call)),
        )
    },
    Route {
        description: "Removes a domain: the organization vouches for nobody in it any more.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/domains/{domain}",
            InOrganization("domains:manage"),
            Operation { follows: &[Changes], ..does("removeDomain", Tag::SingleSignOn) },
            |state, call| Box::pin(domains::remove(state, call)),
        )
    },
];
