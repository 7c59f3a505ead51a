//! Outbound HTTP on which client metadata documents are published.

use serde_json::Value;
use sinete_core::platform::outbound::{OutboundPurpose, OutboundTarget};
use sinete_engine::ports::{
    OutboundDocument, OutboundError, OutboundFailureKind, OutboundHttp, OutboundResponse,
};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// Hosts that publish documents, without a network.
pub struct DocumentWeb {
    documents: Mutex<HashMap<String, Result<OutboundDocument, OutboundFailureKind>>>,
    fetched: Mutex<Vec<String>>,
    is_open: watch::Sender<bool>,
}

impl DocumentWeb {
    pub fn create() -> Arc<Self> {
        Arc::new(Self {
            documents: Mutex::default(),
            fetched: Mutex::default(),
            is_open: watch::Sender::new(true),
        })
    }

    /// Publishes a document at a URL.
    pub fn publish(&self, url: &str, document: &Value, cache_control: Option<&str>) {
        self.publish_text(url, &document.to_string(), cache_control);
    }

    /// Publishes any text at a URL.
    pub fn publish_text(&self, url: &str, text: &str, cache_control: Option<&str>) {
        let document = OutboundDocument {
            body: text.as_bytes().to_vec(),
            cache_control: cache_control.map(str::to_owned),
            age: None,
        };
        self.documents.lock().unwrap().insert(url.to_owned(), Ok(document));
    }

    /// Lets every fetch of a URL fail.
    pub fn fail(&self, url: &str, kind: OutboundFailureKind) {
        self.documents.lock().unwrap().insert(url.to_owned(), Err(kind));
    }

    /// Pauses fetches, or lets all of them continue.
    pub fn set_open(&self, is_open: bool) {
        self.is_open.send_replace(is_open);
    }

    /// How often this URL was fetched.
    pub fn fetch_count(&self, url: &str) -> usize {
        self.fetched.lock().unwrap().iter().filter(|it| *it == url).count()
    }
}

impl OutboundHttp for DocumentWeb {
    fn get<'a>(
        &'a self,
        _: &'a OutboundTarget<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, OutboundError>> + Send + 'a>> {
        Box::pin(std::future::ready(Err(OutboundError::new("nothing else is published here"))))
    }

    fn get_document<'a>(
        &'a self,
        target: &'a OutboundTarget<'a>,
        _: usize,
    ) -> Pin<Box<dyn Future<Output = Result<OutboundDocument, OutboundError>> + Send + 'a>> {
        Box::pin(async move {
            assert_eq!(target.purpose, OutboundPurpose::ClientDocument);
            self.fetched.lock().unwrap().push(target.url.to_owned());
            let mut gate = self.is_open.subscribe();
            gate.wait_for(|is_open| *is_open).await.unwrap();
            let published = self.documents.lock().unwrap().get(target.url).cloned();
            let failed = |kind| OutboundError::with_kind(kind, "as scripted");
            published.unwrap_or(Err(OutboundFailureKind::NoResponse)).map_err(failed)
        })
    }

    fn post_form<'a>(
        &'a self,
        _: &'a OutboundTarget<'a>,
        _: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<OutboundResponse, OutboundError>> + Send + 'a>> {
        Box::pin(std::future::ready(Err(OutboundError::new("nothing is posted here"))))
    }
}
