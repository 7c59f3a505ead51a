//! The rows of the flow engine.

use super::manage::{makes, shows};
use crate::flows;
use crate::route::Verb::{Get, Post};
use crate::route::{
    Answers, Caller, Handler, Listener, Operation, Origins, RefusalShape, Route, Served, Tag, Takes, Verb,
    Weight,
};
use sinete_core::refusal::RefusalCode;
use sinete_engine::single_sign_on::CALLBACK_PATH;
use sinete_engine::single_sign_on::saml::METADATA_PATH;

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Starts a flow: signing in, signing up and everything of that kind.",
        ..row(
            Post,
            "/flows",
            Caller::Anyone,
            Operation {
                refuses: &[
                    RefusalCode::Unauthenticated,
                    RefusalCode::Forbidden,
                    RefusalCode::NotFound,
                    RefusalCode::Conflict,
                    RefusalCode::TooManyRequests,
                ],
                ..makes("startFlow", Tag::Flows, &flows::START, &flows::FLOW)
            },
            |state, call| Box::pin(flows::start(state, call)),
        )
    },
    Route {
        description: "Shows where a flow stands, and what can be said there.",
        ..row(
            Get,
            "/flows/{flow}",
            Caller::Flow,
            Operation {
                refuses: &[RefusalCode::Gone, RefusalCode::Conflict],
                ..shows("getFlow", Tag::Flows, &flows::FLOW)
            },
            |state, call| Box::pin(flows::show(state, call)),
        )
    },
    Route {
        description: "Tells what the link of a message is for. It spends nothing.",
        ..row(
            Get,
            "/flows/links/{link}",
            Caller::Anyone,
            Operation { refuses: &[RefusalCode::NotFound], ..shows("getLink", Tag::Flows, &flows::LINK) },
            |state, call| Box::pin(flows::link::look(state, call)),
        )
    },
    Route {
        description: "Follows the link of a message: its flow goes on with whoever holds the link.",
        ..row(
            Post,
            "/flows/links",
            Caller::Anyone,
            Operation {
                request: Some(&flows::FOLLOWED),
                refuses: &[
                    RefusalCode::Forbidden,
                    RefusalCode::NotFound,
                    RefusalCode::Conflict,
                    RefusalCode::TooManyRequests,
                ],
                ..shows("followLink", Tag::Flows, &flows::FLOW)
            },
            |state, call| Box::pin(flows::link::follow(state, call)),
        )
    },
    Route {
        description: "Says something in a flow. What is refused leaves it as it was.",
        ..row(
            Post,
            "/flows/{flow}/{action}",
            Caller::Flow,
            Operation {
                request: Some(&flows::ANSWER),
                refuses: &[RefusalCode::Gone, RefusalCode::Conflict, RefusalCode::TooManyRequests],
                ..shows("answerFlow", Tag::Flows, &flows::FLOW)
            },
            |state, call| Box::pin(flows::act(state, call)),
        )
    },
    Route {
        verb: Get,
        path: CALLBACK_PATH,
        listener: Listener::Public,
        served: Served::Always,
        caller: Caller::Browser,
        takes: Takes::Nothing,
        refuses: RefusalShape::Problem,
        origins: Origins::Own,
        weight: Weight::Full,
        description: "Takes what a provider of an organization answers, from the browser that was sent there.",
        operation: None,
        answers: Answers::Works(|state, call| Box::pin(flows::callback::get(state, call))),
    },
    Route {
        verb: Post,
        path: CALLBACK_PATH,
        listener: Listener::Public,
        served: Served::Always,
        caller: Caller::Browser,
        takes: Takes::Form,
        refuses: RefusalShape::Problem,
        origins: Origins::Own,
        weight: Weight::Full,
        description: "Takes what a provider that speaks SAML has a browser bring, and sends it on to where it is recognised.",
        operation: None,
        answers: Answers::Works(|state, call| Box::pin(flows::callback::post(state, call))),
    },
    Route {
        verb: Get,
        path: METADATA_PATH,
        listener: Listener::Public,
        served: Served::Always,
        caller: Caller::Anyone,
        takes: Takes::Nothing,
        refuses: RefusalShape::Problem,
        origins: Origins::Own,
        weight: Weight::Full,
        description: "Says to whoever sets up a provider that speaks SAML what this service is there.",
        operation: None,
        answers: Answers::Works(|state, call| Box::pin(flows::callback::metadata(state, call))),
    },
];

const fn row(
    verb: Verb,
    path: &'static str,
    caller: Caller,
    operation: Operation,
    handler: Handler,
) -> Route {
    Route {
        verb,
        path,
        listener: Listener::Public,
        served: Served::Always,
        caller,
        takes: match operation.request {
            None => Takes::Nothing,
            Some(_) => Takes::Json,
        },
        refuses: RefusalShape::Problem,
        origins: Origins::Listed,
        weight: Weight::Full,
        description: "",
        operation: Some(operation),
        answers: Answers::Works(handler),
    }
}
