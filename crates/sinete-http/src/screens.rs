//! The hosted screens as routes. While they are switched off, none of this is served.

pub mod branding;

use crate::call::Call;
use crate::reply::document::Document;
use crate::reply::{Answer, page};
use crate::state::State;
use axum::http::StatusCode;
use sinete_screens::assets::{Asset, fingerprint};
use sinete_screens::landing::Landing;
use sinete_screens::page::Frame;

/// The first page.
pub(crate) async fn landing(state: State, call: Call) -> Answer {
    let address = state.base_address();
    let view = Landing { issuer: address.issuer(), purpose: state.settings().purpose };
    let frame = Frame { here: "/", ..page::frame(call.visit(), &state) };
    Ok(page::answer(StatusCode::OK, view.page(&frame)))
}

/// A file whose path changes with its content never changes itself.
pub(crate) async fn asset(asset: Asset, call: Call) -> Answer {
    const FOREVER: &str = "public, max-age=31536000, immutable";
    let number = fingerprint(asset.bytes);
    Ok(Document::numbered(asset.bytes, number, asset.content_type, FOREVER).answer(call.headers()))
}

/// The mark of the instance.
pub(crate) async fn logo(state: State, call: Call) -> Answer {
    Ok(state.branding().logo().answer(call.headers()))
}

/// The colours of the instance.
pub(crate) async fn colours(state: State, call: Call) -> Answer {
    Ok(state.branding().colours().answer(call.headers()))
}

/// What else the instance changes about its looks.
pub(crate) async fn style(state: State, call: Call) -> Answer {
    Ok(state.branding().style().answer(call.headers()))
}
