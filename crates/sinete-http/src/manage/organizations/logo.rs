//! The logo of an organization, as those see it who manage it. The picture itself is served with the screens.

use crate::call::Call;
use crate::manage::errand::Errand;
use crate::reply::json::{At, answer, nothing, tagged, written};
use crate::reply::{Answer, Declined};
use crate::schema::Schema;
use crate::state::State;
use axum::http::StatusCode;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sinete_core::fault::Faults;
use sinete_core::people::logo::Logo;
use sinete_core::refusal::Refusal;
use sinete_engine::logos::{self, Described};

pub(crate) async fn show(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let found = logos::describe(errand.engine(), &acting).await??;
    shown(&found, acting.organization.version)
}

pub(crate) async fn choose(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let seen = errand.seen()?;
    let logo = errand.body::<NewLogo>()?.checked()?;
    let chosen = logos::choose(errand.engine(), &acting, seen, &logo).await??;
    // Choosing one is one change of the organization.
    shown(&chosen, seen.saturating_add(1))
}

pub(crate) async fn remove(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let seen = errand.seen()?;
    logos::remove(errand.engine(), &acting, seen).await??;
    Ok(nothing())
}

fn shown(logo: &Described, version: i64) -> Result<Response, Declined> {
    let view =
        LogoView { media_type: logo.kind.media_type(), bytes: logo.bytes, changed_at: At(logo.changed_at) };
    Ok(tagged(answer(StatusCode::OK, written(&view)?), version))
}

/// A logo, as it is shown.
#[derive(Serialize)]
struct LogoView {
    media_type: &'static str,
    bytes: i64,
    changed_at: At,
}

/// A logo to choose.
#[derive(Deserialize)]
struct NewLogo {
    data: String,
}

impl NewLogo {
    fn checked(self) -> Result<Logo, Declined> {
        let unfit = |why: String| {
            let mut faults = Faults::default();
            faults.add("/data", why);
            Declined::from(Refusal::unfit(faults))
        };
        let bytes =
            STANDARD.decode(self.data).map_err(|_| unfit("a logo is written in base64".to_owned()))?;
        Logo::new(bytes).map_err(|why| unfit(why.to_string()))
    }
}

pub(crate) const SCHEMAS: &[&Schema] = &[&LOGO, &NEW_LOGO];

/// What is shown.
pub(crate) const LOGO: Schema = Schema {
    name: "Logo",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["media_type", "bytes", "changed_at"],
        "properties": {
            "media_type": {"type": "string", "enum": ["image/png", "image/jpeg", "image/webp", "image/svg+xml"]},
            "bytes": {"type": "integer", "minimum": 1, "description": "How many bytes it has."},
            "changed_at": {"type": "string", "format": "date-time"}
        }
    }"##,
};

/// What is sent.
pub(crate) const NEW_LOGO: Schema = Schema {
    name: "NewLogo",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["data"],
        "properties": {
            "data": {
                "type": "string", "minLength": 1,
                "description": "A PNG, JPEG, WebP or SVG picture of at most 40,960 bytes, in base64 (RFC 4648 section 4). An SVG holds no script and loads nothing."
            }
        },
        "examples": [{"data": "iVBORw0KGgo="}]
    }"##,
};
