//! The result of a test sign-in to an application.

use super::ConsoleLayout;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationTestView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The `client_id` of the application.
    pub application: &'a str,
    /// The result.
    pub result: TestResultView<'a>,
}

/// The result of a test.
#[derive(Clone, Copy, Debug)]
pub enum TestResultView<'a> {
    /// The tokens, without their signatures.
    Tokens {
        /// The ID token.
        id_token: Option<DecodedTokenText<'a>>,
        /// The access token.
        access_token: DecodedTokenText<'a>,
        /// The granted scope.
        scope: &'a str,
        /// The lifetime of the access token, in seconds.
        seconds: i64,
    },
    /// The authorization endpoint returned an error.
    Error {
        /// The error code.
        code: &'a str,
        /// The description.
        description: &'a str,
    },
    /// The test was shown before, or it is not one of this user.
    Unavailable,
}

/// A decoded JWT.
#[derive(Clone, Copy, Debug)]
pub struct DecodedTokenText<'a> {
    /// The header, as indented JSON.
    pub header: &'a str,
    /// The claims, as indented JSON.
    pub claims: &'a str,
}

#[derive(Template)]
#[template(path = "console/application_test.html")]
struct ApplicationTestPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a ApplicationTestView<'a>,
}

impl ApplicationTestView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&ApplicationTestPage {
            frame,
            phrases,
            title: phrases.applications.test_title,
            layout: &self.layout,
            view: self,
        })
    }
}
