//! The `AuthnRequest` (SAML Core §3.4) in the HTTP-Redirect binding (SAML Bindings §3.4), and our metadata.

use super::settings::{NAME_ID, SamlConnectionSettings};
use super::{PERSISTENT, POST, SAML, SAMLP, format_date_time};
use crate::time::Timestamp;
use crate::xml::escape_text;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fmt::Write as _;
use url::Url;

/// Us, as the service provider.
#[derive(Clone, Copy, Debug)]
pub struct SamlServiceProvider<'a> {
    /// Our entity ID.
    pub entity_id: &'a str,
    /// Our assertion consumer service URL.
    pub callback: &'a str,
}

/// The parameters of an `AuthnRequest`.
#[derive(Clone, Copy, Debug)]
pub struct SamlAuthnRequest<'a> {
    /// The `ID`, which the response names in `InResponseTo`.
    pub id: &'a str,
    /// The `RelayState`: returned with the response, identifies the flow.
    pub state: &'a str,
    /// The `IssueInstant`.
    pub issued_at: Timestamp,
    /// Whether the user must authenticate again (`ForceAuthn`), even with a session at the provider.
    pub force_authn: bool,
}

/// Builds the redirect URL; `None` if the provider's URL is invalid.
pub fn build_redirect_url(
    settings: &SamlConnectionSettings,
    us: SamlServiceProvider<'_>,
    request: &SamlAuthnRequest<'_>,
) -> Option<String> {
    let mut url = Url::parse(&settings.sso_url).ok()?;
    let packed = STANDARD.encode(deflate_stored(build_document(settings, us, request).as_bytes()));
    url.query_pairs_mut().append_pair("SAMLRequest", &packed).append_pair("RelayState", request.state);
    Some(url.into())
}

fn build_document(
    settings: &SamlConnectionSettings,
    us: SamlServiceProvider<'_>,
    request: &SamlAuthnRequest<'_>,
) -> String {
    let mut xml = format!(
        "<samlp:AuthnRequest xmlns:samlp=\"{SAMLP}\" xmlns:saml=\"{SAML}\" ID=\"{}\" Version=\"2.0\" \
         IssueInstant=\"{}\" Destination=\"{}\" AssertionConsumerServiceURL=\"{}\" ProtocolBinding=\"{POST}\"{}>\
         <saml:Issuer>{}</saml:Issuer>",
        escape_text(request.id),
        format_date_time(request.issued_at),
        escape_text(&settings.sso_url),
        escape_text(us.callback),
        if request.force_authn { " ForceAuthn=\"true\"" } else { "" },
        escape_text(us.entity_id),
    );
    let format =
        if settings.subject == NAME_ID { format!(" Format=\"{PERSISTENT}\"") } else { String::new() };
    // Writing to a string cannot fail.
    let _ = write!(xml, "<samlp:NameIDPolicy{format} AllowCreate=\"true\"/>");
    if !settings.contexts.is_empty() {
        xml.push_str("<samlp:RequestedAuthnContext Comparison=\"exact\">");
        for context in &settings.contexts {
            let name = escape_text(context);
            let _ = write!(xml, "<saml:AuthnContextClassRef>{name}</saml:AuthnContextClassRef>");
        }
        xml.push_str("</samlp:RequestedAuthnContext>");
    }
    xml.push_str("</samlp:AuthnRequest>");
    xml
}

/// Encodes bytes in DEFLATE format as stored blocks (RFC 1951 §3.2.4), uncompressed, because a request is
/// short.
fn deflate_stored(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(bytes.len() + 5);
    let mut blocks = bytes.chunks(usize::from(u16::MAX)).peekable();
    while let Some(block) = blocks.next() {
        let length = u16::try_from(block.len()).unwrap_or(u16::MAX);
        packed.push(u8::from(blocks.peek().is_none()));
        packed.extend(length.to_le_bytes());
        packed.extend((!length).to_le_bytes());
        packed.extend(block);
    }
    packed
}

/// Builds our service provider metadata (SAML Metadata §2.4.4).
pub fn build_sp_metadata(us: SamlServiceProvider<'_>) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <md:EntityDescriptor xmlns:md=\"{metadata}\" entityID=\"{entity}\">\
         <md:SPSSODescriptor AuthnRequestsSigned=\"false\" WantAssertionsSigned=\"true\" \
         protocolSupportEnumeration=\"{SAMLP}\"><md:NameIDFormat>{PERSISTENT}</md:NameIDFormat>\
         <md:AssertionConsumerService Binding=\"{POST}\" Location=\"{callback}\" index=\"0\" isDefault=\"true\"/>\
         </md:SPSSODescriptor></md:EntityDescriptor>\n",
        metadata = super::METADATA,
        entity = escape_text(us.entity_id),
        callback = escape_text(us.callback),
    )
}
