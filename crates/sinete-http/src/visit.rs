//! One request as its log line and its answer know it.

use axum::http::HeaderValue;
use axum::http::header::{ACCEPT, ACCEPT_LANGUAGE, HeaderMap};
use bytes::Bytes;
use sinete_core::accounts::language::Language;
use sinete_core::id::RequestId;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::oauth::mtls::ClientCertificate;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::extract::accept::prefers_page;

/// What is known of a request from its first byte to its log line. Shared between the layer that makes it
/// and the route that answers.
#[derive(Debug)]
pub struct RequestContext {
    id: RequestId,
    client_address: IpAddr,
    accept: Option<HeaderValue>,
    accept_language: Option<HeaderValue>,
    route_index: OnceLock<usize>,
    refusal: OnceLock<(RefusalCode, String)>,
    has_unread_body: AtomicBool,
    certificate: OnceLock<Arc<ClientCertificate>>,
}

/// Whether a listener shows pages at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageMode {
    Html,
    JsonOnly,
}

impl RequestContext {
    pub(crate) fn new(id: RequestId, client: IpAddr, headers: &HeaderMap, pages: PageMode) -> Self {
        let accept = match pages {
            PageMode::Html => headers.get(ACCEPT).cloned(),
            PageMode::JsonOnly => None,
        };
        Self {
            id,
            client_address: client,
            accept,
            accept_language: headers.get(ACCEPT_LANGUAGE).cloned(),
            route_index: OnceLock::new(),
            refusal: OnceLock::new(),
            has_unread_body: AtomicBool::new(false),
            certificate: OnceLock::new(),
        }
    }

    /// The request's id: minted by us, returned in `X-Request-Id`, in every log line and error body.
    pub const fn id(&self) -> RequestId {
        self.id
    }

    /// The client's address.
    pub const fn client_address(&self) -> IpAddr {
        self.client_address
    }

    /// The certificate that the client showed, if it showed one.
    pub fn certificate(&self) -> Option<&Arc<ClientCertificate>> {
        self.certificate.get()
    }

    pub(crate) fn set_certificate(&self, certificate: Arc<ClientCertificate>) {
        let _ = self.certificate.set(certificate);
    }

    /// Whether the client would rather read a page than JSON, and is where pages are shown.
    pub fn prefers_page(&self) -> bool {
        self.accept.as_ref().and_then(|accept| accept.to_str().ok()).is_some_and(prefers_page)
    }

    /// The language the client prefers.
    pub fn language(&self) -> Language {
        let header = self.accept_language.as_ref().and_then(|language| language.to_str().ok());
        header.map(Language::from_accept_language).unwrap_or_default()
    }

    pub(crate) fn id_header(&self) -> HeaderValue {
        // An id prints as hexadecimal digits and hyphens, which any header may hold.
        HeaderValue::from_maybe_shared(Bytes::from(self.id.to_string()))
            .unwrap_or(HeaderValue::from_static("unknown"))
    }

    pub(crate) fn set_route(&self, route: usize) {
        let _ = self.route_index.set(route);
    }

    pub(crate) fn route_index(&self) -> Option<usize> {
        self.route_index.get().copied()
    }

    /// Keeps why the request was refused, for its log line.
    pub(crate) fn record_refusal(&self, refusal: &Refusal) {
        let _ = self.refusal.set((refusal.code(), refusal.detail().to_owned()));
    }

    pub(crate) fn recorded_refusal(&self) -> Option<(RefusalCode, &str)> {
        self.refusal.get().map(|(code, reason)| (*code, reason.as_str()))
    }

    /// Whether the client sent a body that nobody has read to its end.
    pub(crate) fn set_unread_body(&self, unread: bool) {
        self.has_unread_body.store(unread, Ordering::Relaxed);
    }

    pub(crate) fn has_unread_body(&self) -> bool {
        self.has_unread_body.load(Ordering::Relaxed)
    }
}
