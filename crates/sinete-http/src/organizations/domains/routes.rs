//! The routes of domains.

use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation,
};
use crate::organizations::domains::handlers;
use crate::route::ApiConvention::{IdempotencyKey, Mutation};
use crate::route::RequiredPermission::InOrganization;
use crate::route::RouteMethod::{Delete, Get, Post};
use crate::route::{ApiOperation, OperationTag, RouteEntry};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the domains that an organization calls its own, with the records that prove them.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/domains",
            InOrganization("domains:manage"),
            list_operation("listDomains", OperationTag::SingleSignOn, &handlers::DOMAIN),
            |state, call| Box::pin(handlers::list_domains(state, call)),
        )
    },
    RouteEntry {
        description: "Adds a domain, and shows the record that proves it once it is published.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/domains",
            InOrganization("domains:manage"),
            ApiOperation {
                conventions: &[IdempotencyKey, Mutation],
                ..create_operation(
                    "addDomain",
                    OperationTag::SingleSignOn,
                    &handlers::NEW_DOMAIN,
                    &handlers::DOMAIN,
                )
            },
            |state, call| Box::pin(handlers::add_domain(state, call)),
        )
    },
    RouteEntry {
        description: "Shows a domain.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/domains/{domain}",
            InOrganization("domains:manage"),
            show_operation("getDomain", OperationTag::SingleSignOn, &handlers::DOMAIN),
            |state, call| Box::pin(handlers::show_domain(state, call)),
        )
    },
    RouteEntry {
        description: "Looks for the record of a domain. Where it is found, the domain is the organization's own.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/domains/{domain}/verify",
            InOrganization("domains:manage"),
            ApiOperation {
                conventions: &[Mutation],
                ..show_operation("verifyDomain", OperationTag::SingleSignOn, &handlers::DOMAIN)
            },
            |state, call| Box::pin(handlers::verify_domain(state, call)),
        )
    },
    RouteEntry {
        description: "Removes a domain: the organization vouches for nobody in it any more.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/domains/{domain}",
            InOrganization("domains:manage"),
            ApiOperation {
                conventions: &[Mutation],
                ..command_operation("removeDomain", OperationTag::SingleSignOn)
            },
            |state, call| Box::pin(handlers::remove_domain(state, call)),
        )
    },
];
