//! Where clients get tokens.

use crate::oauth::token;
use crate::route::{
    Answers, Caller, Listener, Origins, RateLimit, RateLimits, RefusalShape, Route, Served, Takes, Verb,
    Weight,
};
use sinete_engine::client_authentication::TOKEN_ENDPOINT;

pub(super) const ROUTES: &[Route] = &[Route {
    verb: Verb::Post,
    path: TOKEN_ENDPOINT,
    listener: Listener::Public,
    served: Served::Always,
    caller: Caller::Client,
    takes: Takes::Form,
    refuses: RefusalShape::OAuth,
    origins: Origins::Any,
    weight: Weight::Full,
    // A client that somebody answers for gets tokens as often as it needs them: each answers a code, a token or a key that
    // somebody was given, or stands for the client itself. One that anybody can be gets so many by one grant, and not by
    // address: one backend serves many people.
    rate_limits: RateLimits::Limited {
        by: &[RateLimit::FailedCredentialsByAddress, RateLimit::TokensByGrant],
        log_rows: 1,
    },
    description: "Answers a code, a device code, an approval, a refresh token, a client's own credentials or an exchange with a token.",
    operation: None,
    answers: Answers::Works(|state, call| Box::pin(token::post(state, call))),
}];
