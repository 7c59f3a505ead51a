//! Errors of an authorization request that are shown to the user.

use sinete_engine::organizations::branding::OrganizationBranding;

/// An error of an authorization request.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "screens"), expect(dead_code, reason = "only pages show what it holds"))]
pub(crate) enum AuthorizationFault<'a> {
    /// The request itself, which is about an organization with this branding.
    Request(Option<&'a OrganizationBranding>),
    /// The redirect URI is not registered; shortened, beside the branding of the request's organization.
    UnregisteredRedirect(&'a str, Option<&'a OrganizationBranding>),
    /// The client is not registered, or no longer.
    UnknownApplication,
    /// The response would go to this host, at this URL, and the client is not trusted.
    UntrustedRedirect(&'a str, &'a str),
}
