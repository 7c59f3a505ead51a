//! Previews of the error pages and the landing page.

use super::PagePreview;
use crate::oauth::authorization_error::{AuthorizationErrorView, AuthorizationProblem};
use crate::platform::landing::{LandingPurpose, LandingView};
use crate::platform::not_found::NotFoundView;
use crate::platform::server_error::ServerErrorView;
use crate::platform::unavailable::UnavailableReason;

const ISSUER: &str = "http://localhost:8080";
const REFERENCE: &str = "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071";

pub(super) const PREVIEWS: &[PagePreview] = &[
    PagePreview {
        name: "authorization-error",
        page: |frame| {
            AuthorizationErrorView {
                problem: AuthorizationProblem::Request,
                error_response: Some((
                    "invalid_request",
                    "The redirect_uri is not registered for this client: it must match a registered one exactly. \
                     Compare it with redirect_uris of the client, on the console under Applications.",
                )),
                redirect_uri: Some("https://ledger.example/callback/"),
                reference: REFERENCE,
                redirect: None,
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "untrusted-redirect",
        page: |frame| {
            AuthorizationErrorView {
                problem: AuthorizationProblem::UntrustedRedirect("agent.example.net"),
                error_response: None,
                redirect_uri: None,
                reference: REFERENCE,
                redirect: Some((
                    "agent.example.net",
                    "https://agent.example.net/callback?error=access_denied",
                )),
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "landing",
        page: |frame| {
            LandingView { issuer: ISSUER, purpose: LandingPurpose::Development, has_console: true }
                .render(frame)
        },
    },
    PagePreview { name: "not-found", page: |frame| NotFoundView.render(frame) },
    PagePreview {
        name: "server-error",
        page: |frame| ServerErrorView { reference: REFERENCE }.render(frame),
    },
    PagePreview { name: "unavailable", page: |frame| UnavailableReason::ServiceUnavailable.render(frame) },
    PagePreview { name: "rate-limited", page: |frame| UnavailableReason::TooManyRequests.render(frame) },
];
