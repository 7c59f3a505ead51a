//! The error page of an authorization request whose response cannot be sent to the application, or only with
//! the user's confirmation.

use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct AuthorizationErrorView<'a> {
    /// The problem.
    pub problem: AuthorizationProblem<'a>,
    /// The error code and description, for developers.
    pub error_response: Option<(&'a str, &'a str)>,
    /// The redirect URI that the client sent and has not registered.
    pub redirect_uri: Option<&'a str>,
    /// The request id.
    pub reference: &'a str,
    /// The redirect that the user may follow: host and full URL.
    pub redirect: Option<(&'a str, &'a str)>,
}

/// The problem.
#[derive(Clone, Copy, Debug)]
pub enum AuthorizationProblem<'a> {
    /// The request is invalid.
    Request,
    /// The application is not registered or was removed.
    UnknownApplication,
    /// The redirect would go to this host, which is not trusted.
    UntrustedRedirect(&'a str),
}

#[derive(Template)]
#[template(path = "authorization_error.html")]
struct AuthorizationErrorPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: String,
    introduction: &'static str,
    view: &'a AuthorizationErrorView<'a>,
}

impl AuthorizationErrorView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let messages_phrases = &phrases.messages;
        let (title, introduction) = match self.problem {
            AuthorizationProblem::Request => {
                (messages_phrases.request_refused.to_owned(), messages_phrases.request_refused_detail)
            }
            AuthorizationProblem::UnknownApplication => {
                (messages_phrases.client_gone.to_owned(), messages_phrases.client_gone_detail)
            }
            AuthorizationProblem::UntrustedRedirect(host) => {
                (messages_phrases.leave(host), messages_phrases.leave_detail)
            }
        };
        render_template(&AuthorizationErrorPage { frame, phrases, title, introduction, view: self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branding::PageBranding;
    use crate::language::UiLanguage;

    #[test]
    fn authorization_error_page_shows_its_reference_and_escapes_application_text() {
        let brand = PageBranding::default();
        for language in UiLanguage::ALL {
            let page = AuthorizationErrorView {
                problem: AuthorizationProblem::Request,
                error_response: Some(("invalid_request", "<script>alert(1)</script>")),
                redirect_uri: Some("https://a.example/<b>"),
                reference: "r",
                redirect: None,
            }
            .render(&PageFrame::without_script(language, "", &brand));
            assert!(
                page.contains("redirect_uri") && page.contains("https://a.example/&#60;b&#62;"),
                "{page}"
            );
            assert!(page.contains("id=\"error-page\"") && page.contains("invalid_request"));
            assert!(!page.contains("<script") && !page.contains("error-continue"));
        }
    }
}
