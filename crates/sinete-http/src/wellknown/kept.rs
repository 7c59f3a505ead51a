//! The discovery document as ready bytes, made anew only when what we can sign with has changed.

use crate::base_address::BaseAddress;
use crate::reply::document::Document;
use crate::route::{Listener, Route, Served};
use crate::router::ROUTES;
use sinete_core::metadata::discovery::{Serving, document};
use sinete_core::secret::Digest;
use sinete_core::signing::Algorithm;
use std::sync::{Arc, PoisonError, RwLock};

/// The document that was sent last, and what it was made from.
#[derive(Debug, Default)]
pub(crate) struct Kept(RwLock<Option<(Vec<Algorithm>, Arc<Document>)>>);

impl Kept {
    /// The document of a service that signs with these at this moment, and leads people somewhere or does not.
    pub(crate) fn document(
        &self,
        base: &BaseAddress,
        signs: Vec<Algorithm>,
        leads_people: bool,
    ) -> Option<Arc<Document>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, document)) = known.as_ref().filter(|(of, _)| *of == signs) {
            return Some(Arc::clone(document));
        }
        drop(known);
        let made = Arc::new(made(base, &signs, leads_people)?);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some((signs, Arc::clone(&made)));
        Some(made)
    }
}

/// What the digest of the document is of.
enum Published {}

fn made(base: &BaseAddress, signs: &[Algorithm], leads_people: bool) -> Option<Document> {
    let is_served = |path: &str| {
        let is_on = |route: &Route| route.served != Served::WithInteraction || leads_people;
        ROUTES.iter().any(|it| it.path == path && it.listener.includes(Listener::Public) && is_on(it))
    };
    let serving = Serving { issuer: base.issuer(), is_served: &is_served, signs };
    let bytes = serde_json::to_vec(&document(&serving)).ok()?;
    let digest = Digest::<Published>::of_parts(&[&bytes]);
    let tag: String = digest.as_bytes().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Document::new(bytes, &tag, "application/json", "public, max-age=300").ok()
}
