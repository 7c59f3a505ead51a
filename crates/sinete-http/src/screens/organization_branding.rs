//! The branding of an organization on its pages: name, logo and colors, served by us. They are public,
//! because they are shown before sign-in.

use super::branding::{BRANDING_CACHE_CONTROL, BrandPalette, CSS_MEDIA_TYPE, SrgbColour};
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::response::Response;
use sinete_core::id::OrganizationId;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::organizations::branding;
pub(crate) use sinete_engine::organizations::branding::LOGO_PATH;
use sinete_engine::organizations::branding::OrganizationBranding;
use sinete_engine::organizations::branding::logo;
use sinete_screens::assets::fingerprint;
use sinete_screens::branding::PageBranding;
use sinete_server::reply::document::StaticDocument;
use sinete_server::reply::{HandlerError, HandlerResult};

/// The path of an organization's colors.
pub(crate) const COLORS_PATH: &str = "/assets/organizations/{organization}/colours.css";

/// The path of colors that are not saved, which its query names.
pub(crate) const PREVIEW_COLORS_PATH: &str = "/assets/brand/preview.css";

/// The branding of an organization on the pages of this instance.
pub(crate) fn organization_brand(instance: &PageBranding, look: &OrganizationBranding) -> PageBranding {
    let at = |path: &str| path.replace("{organization}", &look.organization.to_string());
    let logo = look.logo.map(|updated_at| format!("{}?v={:x}", at(LOGO_PATH), updated_at.micros()));
    let colours = organization_palette(look)
        .stylesheet()
        .map(|style| format!("{}?v={:016x}", at(COLORS_PATH), fingerprint(style.as_bytes())));
    instance.for_organization(look.name.clone(), logo, colours)
}

fn organization_palette(look: &OrganizationBranding) -> BrandPalette {
    BrandPalette {
        accent: look.branding.accent.and_then(|colour| SrgbColour::parse(&String::from(colour))),
        background: look.branding.background.and_then(|colour| SrgbColour::parse(&String::from(colour))),
    }
}

/// The logo of an organization.
pub(crate) async fn serve_organization_logo(state: HttpState, mut request: RoutedRequest) -> HandlerResult {
    let organization = organization_id(&mut request).await?;
    let logo = logo::show(state.engine(), organization).await?.ok_or_else(branding_not_found)?;
    Ok(document_response(logo.bytes, logo.kind.media_type(), &request))
}

/// The colors of an organization.
pub(crate) async fn serve_organization_colors(state: HttpState, mut request: RoutedRequest) -> HandlerResult {
    let organization = organization_id(&mut request).await?;
    let look = branding::find_branding(state.engine(), organization).await?;
    let style =
        look.and_then(|look| organization_palette(&look).stylesheet()).ok_or_else(branding_not_found)?;
    Ok(document_response(style.into_bytes(), CSS_MEDIA_TYPE, &request))
}

/// Colors that are not saved. They are those of the query, made readable like every other.
pub(crate) async fn serve_preview_colors(_: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    let colour = |name: &str| query.get(name).and_then(SrgbColour::parse);
    let palette = BrandPalette { accent: colour("accent"), background: colour("background") };
    Ok(document_response(palette.stylesheet().unwrap_or_default().into_bytes(), CSS_MEDIA_TYPE, &request))
}

/// The file without compression, which would cost more than it saves.
fn document_response(bytes: Vec<u8>, content_type: &'static str, request: &RoutedRequest) -> Response {
    let number = fingerprint(&bytes);
    StaticDocument::with_version_number(bytes, number, content_type, BRANDING_CACHE_CONTROL)
        .to_response(request.headers())
}

async fn organization_id(request: &mut RoutedRequest) -> Result<OrganizationId, HandlerError> {
    let parameters = request.path_parameters().await?;
    let id = parameters.first().and_then(|(_, id)| id.parse().ok());
    Ok(id.ok_or_else(branding_not_found)?)
}

fn branding_not_found() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "no branding of an organization")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::organizations::branding::BrandingSettings;
    use sinete_core::time::Timestamp;
    use sinete_screens::branding::BrandMark;

    #[test]
    fn organization_branding_urls_change_with_content_and_omit_unset_files() {
        let instance = PageBranding::default();
        let organization = OrganizationId::from_bytes([7; 16]);
        let mut look = OrganizationBranding {
            organization,
            name: "Acme".to_owned(),
            branding: BrandingSettings::default(),
            logo: Some(Timestamp::from_micros(255)),
        };
        let page_branding = organization_brand(&instance, &look);
        assert_eq!(
            page_branding.mark,
            BrandMark::Image(format!("/assets/organizations/{organization}/logo?v=ff"))
        );
        assert!(page_branding.styles.is_empty());
        look.branding = serde_json::from_str(r##"{"accent":"#1a5fb4","background":"#eef2ff"}"##).unwrap();
        let first = organization_brand(&instance, &look).styles;
        assert!(first[0].starts_with(&format!("/assets/organizations/{organization}/colours.css?v=")));
        look.branding = serde_json::from_str(r##"{"accent":"#1a5fb5"}"##).unwrap();
        assert_ne!(organization_brand(&instance, &look).styles, first);
    }
}
