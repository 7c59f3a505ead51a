//! The hosted screens as routes. While they are switched off, none of this is served.

use crate::call::Call;
use crate::reply::document::Document;
use crate::reply::{Answer, Declined, Failure, Outlook, page};
use crate::state::State;
use axum::http::StatusCode;
use sinete_screens::assets::{Asset, SEAL, STYLE};
use sinete_screens::landing::Landing;

/// The first page.
pub(crate) async fn landing(state: State, call: Call) -> Answer {
    let address = state.base_address();
    let view =
        Landing { base_path: address.path(), issuer: address.issuer(), purpose: state.settings().purpose };
    Ok(page::answer(StatusCode::OK, view.page(call.visit().language())))
}

/// How everything looks.
pub(crate) async fn style(call: Call) -> Answer {
    asset(STYLE, &call)
}

/// The mark of the house.
pub(crate) async fn seal(call: Call) -> Answer {
    asset(SEAL, &call)
}

/// A file whose path changes with its content never changes itself.
fn asset(asset: Asset, call: &Call) -> Answer {
    const FOREVER: &str = "public, max-age=31536000, immutable";
    let tag = asset.path.split('/').nth(2).unwrap_or_default();
    let document = Document::new(asset.bytes, tag, asset.content_type, FOREVER);
    let document = document
        .map_err(|bad| Declined::Failed(Failure { outlook: Outlook::Permanent, reason: bad.to_string() }))?;
    Ok(document.answer(call.headers()))
}
