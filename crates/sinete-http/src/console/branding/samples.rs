//! Samples of the sign-in page, the consent page and a message with what was entered.

use super::StoredBranding;
use super::draft::{BrandingDraft, CheckedBranding};
use crate::console::page_context::PageContext;
use crate::screens::organization_branding::{PREVIEW_COLORS_PATH, organization_brand};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sinete_core::organizations::branding::BrandingSettings;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::organizations::branding;
use sinete_screens::branding::{BrandMark, PageBranding};
use sinete_screens::console::build_query;
use sinete_screens::console::page_samples::{PageSample, SampleScheme, SamplesBlock};
use sinete_screens::language::UiLanguage;
use sinete_screens::locales::LocalePhrases;
use sinete_screens::page::PageFrame;
use sinete_screens::sample_pages::{SamplePage, render_sample_page};
use sinete_server::reply::{HandlerError, HandlerResult};

/// The message of an organization that is shown.
const ORGANIZATION_EMAIL: &str = "invitation";

/// The name of a sample.
pub(super) const fn page_name(page: SamplePage, phrases: &LocalePhrases) -> &'static str {
    match page {
        SamplePage::SignIn => phrases.branding.page_sign_in,
        SamplePage::Consent => phrases.branding.page_consent,
        SamplePage::Email => phrases.branding.page_email,
    }
}

/// The samples: a page in both color schemes, or a message.
pub(super) async fn build_samples(
    context: &PageContext<'_>,
    stored: &StoredBranding,
    draft: &BrandingDraft,
    checked: &CheckedBranding,
) -> Result<SamplesBlock, HandlerError> {
    let phrases = context.phrases();
    let introduction =
        if draft.is_stored { phrases.branding.samples_saved } else { phrases.branding.samples_unsaved };
    let brand = sample_brand(context, stored, draft, checked).await?;
    let frame = PageFrame::without_script(draft.language, context.state.base_address().path(), &brand);
    let name = page_name(draft.page, phrases);
    let samples = match render_sample_page(draft.page, &frame) {
        Some(document) => {
            let sample = |scheme, text: &str| PageSample {
                title: format!("{name}: {text}"),
                scheme,
                // Nothing in a sample may take the focus from the form.
                document: document.replace(" autofocus", ""),
            };
            vec![
                sample(SampleScheme::Light, phrases.branding.light),
                sample(SampleScheme::Dark, phrases.branding.dark),
            ]
        }
        None => vec![PageSample {
            title: phrases.branding.email_sample.to_owned(),
            scheme: SampleScheme::Light,
            document: render_message(context, draft, checked).await?,
        }],
    };
    Ok(SamplesBlock {
        title: phrases.branding.samples.to_owned(),
        introduction: introduction.to_owned(),
        samples,
    })
}

/// The branding of the pages, as it would be after saving.
async fn sample_brand(
    context: &PageContext<'_>,
    stored: &StoredBranding,
    draft: &BrandingDraft,
    checked: &CheckedBranding,
) -> Result<PageBranding, HandlerError> {
    let instance = context.state.branding().brand();
    let settings = &checked.settings;
    let colours = format!("{PREVIEW_COLORS_PATH}?{}", colors_query(settings));
    let name = settings.name.as_ref().map(ToString::to_string);
    if context.is_of_instance() {
        let mut brand = instance.clone();
        brand.styles.push(colours);
        brand.name = name.unwrap_or(brand.name);
        return Ok(brand);
    }
    let organization = &context.access.organization_access().organization;
    let keeps_logo = stored.has_logo && !draft.removes_logo;
    if settings.is_empty() && !keeps_logo && checked.logo.is_none() {
        // An organization without branding has that of the instance.
        let mut brand = instance.clone();
        brand.styles.push(colours);
        return Ok(brand);
    }
    let mark = match &checked.logo {
        Some(logo) => BrandMark::Inline(format!(
            "data:{};base64,{}",
            logo.kind().media_type(),
            STANDARD.encode(logo.bytes())
        )),
        None if keeps_logo => {
            let look = branding::find_branding(context.engine(), organization.id).await?;
            look.map_or(BrandMark::Initials, |look| organization_brand(instance, &look).mark)
        }
        None => BrandMark::Initials,
    };
    let name = name.unwrap_or_else(|| organization.name.clone());
    Ok(PageBranding { mark, ..instance.for_organization(name, None, Some(colours)) })
}

/// The colors as a query. Both are always in it, so that a script can replace them.
fn colors_query(settings: &BrandingSettings) -> String {
    let text = |colour: Option<String>| colour.unwrap_or_default().replace('#', "%23");
    format!(
        "accent={}&background={}",
        text(settings.accent.map(String::from)),
        text(settings.background.map(String::from))
    )
}

/// A message whose inline styles are in a style sheet, because the policy of the page refuses them.
async fn render_message(
    context: &PageContext<'_>,
    draft: &BrandingDraft,
    checked: &CheckedBranding,
) -> Result<String, HandlerError> {
    let settings = &checked.settings;
    let (html, path) = if context.is_of_instance() {
        let sample = branding::preview_instance_email(context.engine(), draft.language, settings);
        (sample.map(|sample| sample.html).unwrap_or_default(), "/instance/emails/style".to_owned())
    } else {
        let access = context.access.organization_access();
        let engine = context.engine();
        let sample =
            branding::preview_email(engine, access, ORGANIZATION_EMAIL, draft.language, Some(settings))
                .await?;
        let path = format!("{}/emails/{ORGANIZATION_EMAIL}/style", context.return_to.organization_path());
        (sample.html, path)
    };
    let (html, _) = split_inline_styles(&html);
    let name = settings.name.as_ref().map(ToString::to_string).unwrap_or_default();
    let page_query = build_query([("name", name.as_str()), ("ui_locales", draft.language.tag())]);
    let base = context.state.base_address().path();
    let link = format!(
        "<link rel=\"stylesheet\" href=\"{base}{path}?{}&amp;{}\"></head>",
        colors_query(settings).replace('&', "&amp;"),
        page_query.replace('&', "&amp;")
    );
    Ok(html.replacen("</head>", &link, 1))
}

/// The styles of the sample of an organization's message.
pub(in crate::console) async fn organization_message_style(
    context: &PageContext<'_>,
    message: &str,
) -> HandlerResult {
    let access = context.access.organization_access();
    let settings = queried_settings(context);
    let sample =
        branding::preview_email(context.engine(), access, message, context.reader.language, Some(&settings))
            .await?;
    Ok(style_response(split_inline_styles(&sample.html).1))
}

/// The styles of the sample of the instance's message.
pub(in crate::console) fn message_style(context: &PageContext<'_>) -> HandlerResult {
    let language: UiLanguage = context.reader.language;
    let none = || Refusal::because(RequestRefusal::NotFound, "no sample of the message");
    let may_read = context.can_call("getSettings");
    let sample = branding::preview_instance_email(context.engine(), language, &queried_settings(context));
    let sample = sample.filter(|_| may_read).ok_or_else(none)?;
    Ok(style_response(split_inline_styles(&sample.html).1))
}

/// The branding in the query; what is invalid is left out.
fn queried_settings(context: &PageContext<'_>) -> BrandingSettings {
    BrandingDraft::from_form(context, context.query).check().settings
}

fn style_response(style: String) -> Response {
    let mut response = (StatusCode::OK, style).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/css; charset=utf-8"));
    response
}

/// Moves the styles of a message to a style sheet: each element is marked with the number of its rule.
fn split_inline_styles(html: &str) -> (String, String) {
    const STYLE_ATTRIBUTE: &str = " style=\"";
    let (mut document, mut style) = (String::with_capacity(html.len()), String::new());
    let mut rest = html;
    let mut number = 0_usize;
    while let Some((before, after)) = rest.split_once(STYLE_ATTRIBUTE) {
        let (rule, after) = after.split_once('"').unwrap_or((after, ""));
        let rule = rule.replace("&#39;", "'").replace("&quot;", "\"").replace("&amp;", "&");
        // A rule ends here, whatever the template contains.
        let rule = rule.replace(['{', '}', '<', '@'], "");
        document.push_str(before);
        document.push_str(&format!(" data-style=\"{number}\""));
        style.push_str(&format!("[data-style=\"{number}\"]{{{rule}}}\n"));
        number += 1;
        rest = after;
    }
    document.push_str(rest);
    (document, style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_preview_styles_are_moved_to_a_style_sheet() {
        let html = "<p style=\"color:red\">a</p><b style=\"font-family:&#39;A&#39;}b{\">c</b><i>d</i>";
        let (document, style) = split_inline_styles(html);
        assert_eq!(document, "<p data-style=\"0\">a</p><b data-style=\"1\">c</b><i>d</i>");
        assert_eq!(style, "[data-style=\"0\"]{color:red}\n[data-style=\"1\"]{font-family:'A'b}\n");
        assert_eq!(split_inline_styles("plain"), ("plain".to_owned(), String::new()));
    }

    #[test]
    fn sample_colors_are_always_in_the_query() {
        assert_eq!(colors_query(&BrandingSettings::default()), "accent=&background=");
        let settings = serde_json::from_str(r##"{"accent":"#1a5fb4"}"##).unwrap();
        assert_eq!(colors_query(&settings), "accent=%231a5fb4&background=");
    }
}
