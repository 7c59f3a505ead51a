//! The rows about the domains of an organization.

use super::super::managed;
use super::{does, lists, makes, shows};
use crate::manage::domains;
use crate::route::ApiConvention::{Changes, Repeatable};
use crate::route::RequiredPermission::InOrganization;
use crate::route::RouteMethod::{Delete, Get, Post};
use crate::route::{ApiOperation, OperationTag, RouteEntry};

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the domains that an organization calls its own, with the records that prove them.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/domains",
            InOrganization("domains:manage"),
            lists("listDomains", OperationTag::SingleSignOn, &domains::DOMAIN),
            |state, call| Box::pin(domains::list(state, call)),
        )
    },
    RouteEntry {
        description: "Adds a domain, and shows the record that proves it once it is published.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/domains",
            InOrganization("domains:manage"),
            ApiOperation {
                follows: &[Repeatable, Changes],
                ..makes("addDomain", OperationTag::SingleSignOn, &domains::NEW_DOMAIN, &domains::DOMAIN)
            },
            |state, call| Box::pin(domains::add(state, call)),
        )
    },
    RouteEntry {
        description: "Shows a domain.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/domains/{domain}",
            InOrganization("domains:manage"),
            shows("getDomain", OperationTag::SingleSignOn, &domains::DOMAIN),
            |state, call| Box::pin(domains::show(state, call)),
        )
    },
    RouteEntry {
        description: "Looks for the record of a domain. Where it is found, the domain is the organization's own.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/domains/{domain}/verify",
            InOrganization("domains:manage"),
            ApiOperation {
                follows: &[Changes],
                ..shows("verifyDomain", OperationTag::SingleSignOn, &domains::DOMAIN)
            },
            |state, call| Box::pin(domains::verify(state, call)),
        )
    },
    RouteEntry {
        description: "Removes a domain: the organization vouches for nobody in it any more.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/domains/{domain}",
            InOrganization("domains:manage"),
            ApiOperation { follows: &[Changes], ..does("removeDomain", OperationTag::SingleSignOn) },
            |state, call| Box::pin(domains::remove(state, call)),
        )
    },
];
