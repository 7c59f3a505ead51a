//! An authorization request that cannot be answered to the application, or not without asking.

use crate::page::{Frame, render};
use crate::words::{Words, with};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct AuthorizationError<'a> {
    /// What is wrong.
    pub problem: Problem<'a>,
    /// The error and what was said about it, for those who made the application.
    pub told: Option<(&'a str, &'a str)>,
    /// The request's id.
    pub reference: &'a str,
    /// Where a person may go on to, by their own choice: the host and the whole address.
    pub onward: Option<(&'a str, &'a str)>,
}

/// What is wrong.
#[derive(Clone, Copy, Debug)]
pub enum Problem<'a> {
    /// The request itself.
    Request,
    /// The application is not registered, or not any more.
    UnknownApplication,
    /// It would go to this host, which nobody has vouched for.
    Leaving(&'a str),
}

#[derive(Template)]
#[template(path = "authorization_error.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: String,
    lead: &'static str,
    view: &'a AuthorizationError<'a>,
}

impl AuthorizationError<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        let own = &words.messages;
        let (title, lead) = match self.problem {
            Problem::Request => (own.request_refused.to_owned(), own.request_refused_detail),
            Problem::UnknownApplication => (own.client_gone.to_owned(), own.client_gone_detail),
            Problem::Leaving(host) => (with(own.leave, host), own.leave_detail),
        };
        render(&Page { frame, words, title, lead, view: self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brand::Brand;
    use crate::language::Language;

    #[test]
    fn it_is_known_by_its_id_and_escapes_what_the_application_said() {
        let brand = Brand::default();
        for language in Language::ALL {
            let page = AuthorizationError {
                problem: Problem::Request,
                told: Some(("invalid_request", "<script>alert(1)</script>")),
                reference: "r",
                onward: None,
            }
            .page(&Frame::plain(language, "", &brand));
            assert!(page.contains("id=\"error-page\"") && page.contains("invalid_request"));
            assert!(!page.contains("<script") && !page.contains("error-continue"));
        }
    }
}
