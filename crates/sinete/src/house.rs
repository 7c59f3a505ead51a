//! What the HTTP envelope asks of the house behind it, answered by the engine.

use arc_swap::ArcSwap;
use sinete_core::entropy::Entropy;
use sinete_core::limits::CLOCK_OFFSET_MAX;
use sinete_core::signing::Algorithm;
use sinete_core::time::Timestamp;
use sinete_engine::Engine;
use sinete_engine::dev_mailbox::DevMailbox;
use sinete_http::reply::document::Document;
use sinete_http::state::{House, NotReady};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// How long the database may take to show that it is there.
const CHECK_MAX: Duration = Duration::from_secs(2);

/// The house: an engine, the key document as ready bytes, and whether the clock can be relied on.
pub struct EngineHouse {
    engine: Engine,
    keys: ArcSwap<KeptDocument>,
    clock_is_right: AtomicBool,
    mailbox: Option<Arc<DevMailbox>>,
}

/// The key document with the tag it was made from.
struct KeptDocument {
    tag: Arc<str>,
    document: Arc<Document>,
}

impl EngineHouse {
    /// A house around the engine. Fails only if the key document could not be sent at all.
    pub fn new(engine: Engine, mailbox: Option<Arc<DevMailbox>>) -> Result<Self, String> {
        let keys = ArcSwap::from_pointee(kept(&engine)?);
        Ok(Self { engine, keys, clock_is_right: AtomicBool::new(true), mailbox })
    }

    /// Compares the database's clock with ours. A node whose clock is wrong is not ready: what it would sign
    /// would be valid too long or not at all.
    pub async fn compare_clocks(&self) {
        match self.engine.store().now_offset(self.engine.now()).await {
            Ok(offset) => {
                let is_right = !offset.exceeds(CLOCK_OFFSET_MAX);
                if self.clock_is_right.swap(is_right, Relaxed) != is_right {
                    let offset_micros = offset.micros();
                    if is_right {
                        tracing::info!(offset_micros, "the clock agrees with the database's again");
                    } else {
                        tracing::error!(offset_micros, "the clock is too far from the database's: not ready");
                    }
                }
            }
            // Readiness notices a database that is away by itself.
            Err(failed) => tracing::warn!(%failed, "the database's clock could not be read"),
        }
    }

    fn signs_what_it_must(&self) -> bool {
        let (ring, now) = (self.engine.keys(), self.engine.now());
        Algorithm::REQUIRED.into_iter().all(|algorithm| ring.signer(algorithm, now).is_some())
    }
}

fn kept(engine: &Engine) -> Result<KeptDocument, String> {
    let ring = engine.keys();
    let (json, tag) = (ring.document().json.clone(), ring.document().tag.clone());
    let document = Document::keys(json.as_bytes().to_vec(), &tag).map_err(|error| error.to_string())?;
    Ok(KeptDocument { tag, document: Arc::new(document) })
}

impl House for EngineHouse {
    fn now(&self) -> Timestamp {
        self.engine.now()
    }

    fn entropy(&self) -> &dyn Entropy {
        self.engine.entropy()
    }

    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn dev_mailbox(&self) -> Option<&DevMailbox> {
        self.mailbox.as_deref()
    }

    fn keys(&self) -> Arc<Document> {
        let known = self.keys.load();
        if known.tag == self.engine.keys().document().tag {
            return Arc::clone(&known.document);
        }
        match kept(&self.engine) {
            Ok(newer) => {
                let document = Arc::clone(&newer.document);
                self.keys.store(Arc::new(newer));
                document
            }
            Err(_) => Arc::clone(&known.document),
        }
    }

    fn ready(&self) -> Pin<Box<dyn Future<Output = Result<(), NotReady>> + Send + '_>> {
        Box::pin(async move {
            if !self.clock_is_right.load(Relaxed) {
                return Err(NotReady("this node's clock is too far from the database's"));
            }
            if !self.signs_what_it_must() {
                return Err(NotReady("a signing key is missing"));
            }
            match tokio::time::timeout(CHECK_MAX, self.engine.store().check()).await {
                Ok(Ok(())) => Ok(()),
                Ok(Err(_)) | Err(_) => Err(NotReady("the database does not answer")),
            }
        })
    }
}
