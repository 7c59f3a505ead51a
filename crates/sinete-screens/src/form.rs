//! Forms: action and CSRF token.

/// The action and CSRF token of a form.
#[derive(Clone, Copy, Debug)]
pub struct PageForm<'a> {
    /// The path and query that it is posted to, below the base URL.
    pub action: &'a str,
    /// The CSRF token.
    pub csrf: &'a str,
}

/// Where a link of a page leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageLink<'a> {
    /// To another page, by its path below the base URL.
    Path(&'a str),
    /// To the next stage, by an action of the page's form.
    Action(&'a str),
}

/// A WebAuthn ceremony on a page.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyCeremony<'a> {
    /// The options of `navigator.credentials`, as JSON.
    pub options: &'a str,
}
