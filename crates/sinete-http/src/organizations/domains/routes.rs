//! The routes of domains.

use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation,
};
use crate::organizations::domains::handlers;
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::MANAGE_DOMAINS;
use sinete_server::route::ApiConvention::{IdempotencyKey, Mutation};
use sinete_server::route::RequiredPermission::InOrganization;
use sinete_server::route::RouteMethod::{Delete, Get, Post};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the domains of an organization with their DNS records.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/domains",
            InOrganization(MANAGE_DOMAINS),
            list_operation("listDomains", OperationTag::SingleSignOn, &handlers::DOMAIN),
            |state, request| Box::pin(handlers::list_domains(state, request)),
        )
    },
    RouteEntry {
        description: "Adds a domain and returns the DNS record that verifies it.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/domains",
            InOrganization(MANAGE_DOMAINS),
            ApiOperation {
                conventions: &[IdempotencyKey, Mutation],
                ..create_operation(
                    "addDomain",
                    OperationTag::SingleSignOn,
                    &handlers::NEW_DOMAIN,
                    &handlers::DOMAIN,
                )
            },
            |state, request| Box::pin(handlers::add_domain(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves a domain.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/domains/{domain}",
            InOrganization(MANAGE_DOMAINS),
            show_operation("getDomain", OperationTag::SingleSignOn, &handlers::DOMAIN),
            |state, request| Box::pin(handlers::show_domain(state, request)),
        )
    },
    RouteEntry {
        description: "Verifies a domain by its DNS record.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/domains/{domain}/verify",
            InOrganization(MANAGE_DOMAINS),
            ApiOperation {
                conventions: &[Mutation],
                ..show_operation("verifyDomain", OperationTag::SingleSignOn, &handlers::DOMAIN)
            },
            |state, request| Box::pin(handlers::verify_domain(state, request)),
        )
    },
    RouteEntry {
        description: "Deletes a domain. The organization no longer verifies the addresses in it.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/domains/{domain}",
            InOrganization(MANAGE_DOMAINS),
            ApiOperation {
                conventions: &[Mutation],
                ..command_operation("removeDomain", OperationTag::SingleSignOn)
            },
            |state, request| Box::pin(handlers::remove_domain(state, request)),
        )
    },
];
