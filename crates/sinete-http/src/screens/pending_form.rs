//! Suspended forms: an action on the account page or the console that requires a step-up first. It is stored
//! in a cookie and performed by the form that completes the step-up; opening a page does nothing. It is bound
//! to one flow by a MAC with the flow's token.

use crate::flow_csrf::{csrf_token, is_csrf_token};
use crate::screens::form_cookie::{FormCookie, FormCookieScope, storable_fields};
use axum::http::header::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use sinete_core::limits::FLOW_LIFETIME;
use sinete_server::extract::params::FormParams;
use sinete_server::security_headers::IssuerScheme;

/// Valid as long as the flow.
const SUSPENDED_FORM_COOKIE: FormCookie =
    FormCookie { name: "waiting", seconds: FLOW_LIFETIME.seconds(), scope: FormCookieScope::SameSiteStrict };

/// The page of the suspended form, equally long.
const SUSPENDED_PAGE_COOKIE: FormCookie =
    FormCookie { name: "waiting_on", seconds: FLOW_LIFETIME.seconds(), scope: FormCookieScope::SameSiteLax };

/// Fields that are never stored: secrets, and those that belong to the previous page.
const OMITTED_FIELDS: [&str; 3] = ["csrf", "password", "current_password"];

/// An action that requires a step-up first.
#[derive(Clone)]
pub(crate) struct PendingForm {
    /// The submitted form.
    pub(crate) form: FormParams,
    /// The console page it was submitted to; `None` for the account page. It is taken from the route, never
    /// from the form, so that a form of another page has no effect on the console.
    pub(crate) console: Option<String>,
}

impl PendingForm {
    /// A marker in place of a form that is too large to be stored, so that its page can say so. Forms of the
    /// account page are never too large.
    pub(crate) fn without_form(&self) -> Option<Self> {
        let console = self.console.clone()?;
        let form = self.form.get("action").unwrap_or_default();
        let form = [("action", STEP_UP_ACTION), ("form", form), (FORM_LOST_FIELD, "on")];
        let form = form.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Some(Self { form: FormParams::from_pairs(form.to_vec()), console: Some(console) })
    }
}

/// The action of a console form that only requests a step-up, before another form is filled in.
pub(crate) const STEP_UP_ACTION: &str = "prove";

/// The field that marks a form as too large to be stored.
pub(crate) const FORM_LOST_FIELD: &str = "lost";

/// A suspended form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SuspendedForm {
    /// The flow of the step-up.
    flow: String,
    /// A MAC with the flow's token.
    seal: String,
    /// The form fields.
    #[serde(with = "crate::screens::form_cookie")]
    #[serde(rename = "asked")]
    fields: Vec<(String, String)>,
    /// The console page to continue at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    console: Option<String>,
}

impl SuspendedForm {
    /// Creates a suspended form for the flow with this id and token.
    pub(crate) fn new(pending_form: &PendingForm, id: &str, token: &str) -> Self {
        Self {
            flow: id.to_owned(),
            seal: csrf_token(token),
            fields: storable_fields(&pending_form.form, &OMITTED_FIELDS),
            console: pending_form.console.clone(),
        }
    }

    /// Reads the suspended form of this flow.
    pub(crate) fn from_cookie(
        headers: &HeaderMap,
        scheme: IssuerScheme,
        id: &str,
        token: &str,
    ) -> Option<PendingForm> {
        let suspended_form: Self = SUSPENDED_FORM_COOKIE.read_cookie(headers, scheme)?;
        let is_its = suspended_form.flow == id && is_csrf_token(token, &suspended_form.seal);
        is_its.then(|| PendingForm {
            form: FormParams::from_pairs(suspended_form.fields),
            console: suspended_form.console,
        })
    }

    /// Sets the cookies; returns whether the form fits.
    pub(crate) fn set_cookie(&self, response: &mut Response, scheme: IssuerScheme) -> bool {
        let page = self.console.clone().unwrap_or_else(|| MY_ACCOUNT_PATH.to_owned());
        SUSPENDED_FORM_COOKIE.set_cookie(response, scheme, self)
            && SUSPENDED_PAGE_COOKIE.set_cookie(
                response,
                scheme,
                &SuspendedPage { flow: self.flow.clone(), page },
            )
    }

    /// Removes the cookies.
    pub(crate) fn clear_cookie(response: &mut Response, scheme: IssuerScheme) {
        SUSPENDED_FORM_COOKIE.clear_cookie(response, scheme);
        SUSPENDED_PAGE_COOKIE.clear_cookie(response, scheme);
    }
}

/// The path of the account page.
pub(crate) const MY_ACCOUNT_PATH: &str = "/my-account";

/// The page of a suspended form. After a step-up at an identity provider, the browser returns from another
/// site without the form's cookie, but the page can still be shown with a notice
/// (docs/contribute/decisions/0189-step-up-message-when-nothing-was-done.md).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SuspendedPage {
    flow: String,
    page: String,
}

impl SuspendedPage {
    /// The page of this flow's suspended form.
    pub(crate) fn page_from_cookie(headers: &HeaderMap, scheme: IssuerScheme, flow: &str) -> Option<String> {
        let suspended_page: Self = SUSPENDED_PAGE_COOKIE.read_cookie(headers, scheme)?;
        (suspended_page.flow == flow).then_some(suspended_page.page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::http::HeaderValue;
    use axum::http::header::{COOKIE, SET_COOKIE};

    fn carried(suspended_form: &SuspendedForm) -> HeaderMap {
        let mut response = Response::new(Body::empty());
        assert!(suspended_form.set_cookie(&mut response, IssuerScheme::Https));
        let lines = response.headers().get_all(SET_COOKIE).iter().map(|line| line.to_str().unwrap());
        let lines: Vec<&str> = lines.collect();
        assert!(
            lines[0].starts_with("__Host-waiting=")
                && lines[0].ends_with("HttpOnly; SameSite=Strict; Secure")
        );
        assert!(
            lines[1].starts_with("__Host-waiting_on=")
                && lines[1].ends_with("HttpOnly; SameSite=Lax; Secure")
        );
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(COOKIE, HeaderValue::from_str(line.split(';').next().unwrap()).unwrap());
        }
        headers
    }

    #[test]
    fn pending_form_is_bound_to_its_step_up_flow() {
        let form = FormParams::parse(b"csrf=c&action=add_totp&password=p&email=a%40b.example").unwrap();
        let pending_form = PendingForm { form, console: None };
        let headers = carried(&SuspendedForm::new(&pending_form, "1", "token"));
        let load_form = |id, token| SuspendedForm::from_cookie(&headers, IssuerScheme::Https, id, token);
        let form = load_form("1", "token").unwrap().form;
        assert_eq!((form.get("action"), form.get("email")), (Some("add_totp"), Some("a@b.example")));
        assert_eq!((form.get("csrf"), form.get("password")), (None, None), "no secret is stored");
        assert!(load_form("2", "token").is_none() && load_form("1", "another").is_none());
        assert!(SuspendedForm::from_cookie(&headers, IssuerScheme::Http, "1", "token").is_none());
    }

    #[test]
    fn pending_form_that_is_too_long_is_reported_as_lost() {
        let long = format!("action=change&scopes={}", "s".repeat(4000));
        let form = FormParams::parse(long.as_bytes()).unwrap();
        let page = "/console/acme/connections/1".to_owned();
        let pending_form = PendingForm { form, console: Some(page.clone()) };
        let mut response = Response::new(Body::empty());
        assert!(
            !SuspendedForm::new(&pending_form, "1", "token").set_cookie(&mut response, IssuerScheme::Https)
        );
        assert!(response.headers().is_empty(), "no cookie is set");
        let headers = carried(&SuspendedForm::new(&pending_form.without_form().unwrap(), "1", "token"));
        let suspended_form = SuspendedForm::from_cookie(&headers, IssuerScheme::Https, "1", "token").unwrap();
        let form_values = ["action", "form", "lost"].map(|name| suspended_form.form.get(name));
        assert_eq!(
            (form_values, suspended_form.console),
            ([Some("prove"), Some("change"), Some("on")], Some(page))
        );
        assert!(PendingForm { console: None, ..pending_form }.without_form().is_none());
    }

    #[test]
    fn pending_form_returns_to_the_page_it_was_sent_to() {
        let form = FormParams::parse(b"action=invite&console=%2Fconsole%2Facme%2Finvitations").unwrap();
        for console in [None, Some("/console/acme/invitations".to_owned())] {
            let pending_form = PendingForm { form: form.clone(), console: console.clone() };
            let headers = carried(&SuspendedForm::new(&pending_form, "1", "token"));
            assert_eq!(
                SuspendedForm::from_cookie(&headers, IssuerScheme::Https, "1", "token").unwrap().console,
                console
            );
            let page = SuspendedPage::page_from_cookie(&headers, IssuerScheme::Https, "1");
            assert_eq!(page.as_deref(), console.as_deref().or(Some(MY_ACCOUNT_PATH)));
            assert_eq!(SuspendedPage::page_from_cookie(&headers, IssuerScheme::Https, "2"), None);
        }
    }
}
