//! Pages for outbound requests, with request counts.

use sinete_core::platform::outbound::OutboundTarget;
use sinete_engine::ports::{OutboundError, OutboundHttp, OutboundResponse};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use tokio::sync::watch;

/// A few pages, with request counts.
#[derive(Default)]
pub struct PublishedPages {
    pages: Mutex<BTreeMap<String, String>>,
    asked: AtomicI64,
    held: watch::Sender<bool>,
}

impl PublishedPages {
    /// Delays all responses until released.
    pub fn hold_back(&self, is_held: bool) {
        self.held.send_replace(is_held);
    }

    pub fn publish(&self, address: &str, page: &str) {
        self.pages.lock().unwrap().insert(address.to_owned(), page.to_owned());
    }

    pub fn asked(&self) -> i64 {
        self.asked.load(Ordering::SeqCst)
    }
}

impl OutboundHttp for PublishedPages {
    fn get<'a>(
        &'a self,
        target: &'a OutboundTarget<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, OutboundError>> + Send + 'a>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let page = self.pages.lock().unwrap().get(target.url).map(|page| page.clone().into_bytes());
        let mut receiver = self.held.subscribe();
        Box::pin(async move {
            let _ = receiver.wait_for(|is_held| !is_held).await;
            page.ok_or_else(|| OutboundError::new("there is no such page"))
        })
    }

    fn post_form<'a>(
        &'a self,
        _: &'a OutboundTarget<'a>,
        _: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<OutboundResponse, OutboundError>> + Send + 'a>> {
        Box::pin(std::future::ready(Err(OutboundError::new("nothing is sent here"))))
    }
}
