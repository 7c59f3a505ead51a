//! The rows about APIs: the instance's, and an organization's own.

use super::super::managed;
use super::{changes, does, lists, makes, shows};
use crate::manage::apis;
use crate::route::Convention::{Changes, Guarded, Repeatable, Tagged};
use crate::route::Needs::{InOrganization, OverInstance};
use crate::route::Verb::{Delete, Get, Patch, Post, Put};
use crate::route::{Operation, Route, Tag};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists the APIs that an organization may use: its own and those offered to it.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/apis",
            InOrganization("apis:read"),
            lists("listApis", Tag::Apis, &apis::API),
            |state, call| Box::pin(apis::list(state, call)),
        )
    },
    Route {
        description: "Adds an API of the organization's own.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/apis",
            InOrganization("apis:manage"),
            Operation {
                follows: &[Repeatable, Tagged, Changes],
                ..makes("createApi", Tag::Apis, &apis::NEW_API, &apis::API)
            },
            |state, call| Box::pin(apis::create(state, call)),
        )
    },
    Route {
        description: "Shows an API that the organization may use.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/apis/{api}",
            InOrganization("apis:read"),
            Operation { follows: &[Tagged], ..shows("getApi", Tag::Apis, &apis::API) },
            |state, call| Box::pin(apis::show(state, call)),
        )
    },
    Route {
        description: "Shows what an API has to publish, and the exact challenge it answers.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/apis/{api}/protected-resource",
            InOrganization("apis:read"),
            shows("getProtectedResource", Tag::Apis, &apis::PROTECTED_RESOURCE),
            |state, call| Box::pin(apis::protected_resource(state, call)),
        )
    },
    Route {
        description: "Changes an API of the organization's own.",
        ..managed(
            Patch,
            "/manage/organizations/{organization}/apis/{api}",
            InOrganization("apis:manage"),
            Operation { request: Some(&apis::API_PATCH), ..changes("updateApi", Tag::Apis, &apis::API) },
            |state, call| Box::pin(apis::change(state, call)),
        )
    },
    Route {
        description: "Removes an API of the organization's own: nobody holds any of its permissions any more.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/apis/{api}",
            InOrganization("apis:manage"),
            Operation { follows: &[Guarded, Changes], ..does("removeApi", Tag::Apis) },
            |state, call| Box::pin(apis::remove(state, call)),
        )
    },
    Route {
        description: "Lists every API there is.",
        ..managed(
            Get,
            "/manage/apis",
            OverInstance("instance:read"),
            lists("listInstanceApis", Tag::Apis, &apis::API),
            |state, call| Box::pin(apis::list(state, call)),
        )
    },
    Route {
        description: "Adds an API of the instance's.",
        ..managed(
            Post,
            "/manage/apis",
            OverInstance("instance:operate"),
            Operation {
                follows: &[Repeatable, Tagged],
                ..makes("createInstanceApi", Tag::Apis, &apis::NEW_API, &apis::API)
            },
            |state, call| Box::pin(apis::create(state, call)),
        )
    },
    Route {
        description: "Shows any API.",
        ..managed(
            Get,
            "/manage/apis/{api}",
            OverInstance("instance:read"),
            Operation { follows: &[Tagged], ..shows("getInstanceApi", Tag::Apis, &apis::API) },
            |state, call| Box::pin(apis::show(state, call)),
        )
    },
    Route {
        description: "Shows what any API has to publish, and the exact challenge it answers.",
        ..managed(
            Get,
            "/manage/apis/{api}/protected-resource",
            OverInstance("instance:read"),
            shows("getInstanceProtectedResource", Tag::Apis, &apis::PROTECTED_RESOURCE),
            |state, call| Box::pin(apis::protected_resource(state, call)),
        )
    },
    Route {
        description: "Changes an API of the instance's.",
        ..managed(
            Patch,
            "/manage/apis/{api}",
            OverInstance("instance:operate"),
            Operation {
                request: Some(&apis::API_PATCH),
                ..changes("updateInstanceApi", Tag::Apis, &apis::API)
            },
            |state, call| Box::pin(apis::change(state, call)),
        )
    },
    Route {
        description: "Removes an API of the instance's: nobody holds any of its permissions any more.",
        ..managed(
            Delete,
            "/manage/apis/{api}",
            OverInstance("instance:operate"),
            Operation { follows: &[Guarded, Changes], ..does("removeInstanceApi", Tag::Apis) },
            |state, call| Box::pin(apis::remove(state, call)),
        )
    },
    Route {
        description: "Lists the organizations that an API of the instance's is offered to one by one.",
        ..managed(
            Get,
            "/manage/apis/{api}/offers",
            OverInstance("instance:read"),
            shows("listApiOffers", Tag::Apis, &apis::OFFERS),
            |state, call| Box::pin(apis::offers(state, call)),
        )
    },
    Route {
        description: "Offers an API of the instance's to an organization.",
        ..managed(
            Put,
            "/manage/apis/{api}/offers/{organization}",
            OverInstance("instance:operate"),
            Operation {
                follows: &[Changes],
                refuses: &[RefusalCode::PreconditionFailed],
                ..does("offerApi", Tag::Apis)
            },
            |state, call| Box::pin(apis::offer(state, call)),
        )
    },
    Route {
        description: "Takes an offer back: whatever its roles say, the organization holds nothing at the API.",
        ..managed(
            Delete,
            "/manage/apis/{api}/offers/{organization}",
            OverInstance("instance:operate"),
            Operation {
                follows: &[Changes],
                refuses: &[RefusalCode::PreconditionFailed],
                ..does("withdrawApiOffer", Tag::Apis)
            },
            |state, call| Box::pin(apis::withdraw(state, call)),
        )
    },
];
