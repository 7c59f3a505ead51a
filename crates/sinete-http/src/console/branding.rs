//! Branding on the console: a form, and samples of pages with what it contains. Nothing is stored until it is saved
//! (docs/contribute/decisions/0309-console-branding-previewed-before-it-is-saved.md).

mod draft;
mod samples;

use self::draft::{BrandingDraft, CheckedBranding};
use self::samples::build_samples;
use crate::console::action::{ActionError, ActionOutcome, CompletedAction, Outcome};
use crate::console::operations::values::text_at;
use crate::console::operations::{OperationPage, PageContent, content_page};
use crate::console::page_context::PageContext;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sinete_core::limits::{
    ACCENT_COLOR_CONTRAST_MIN_TENTHS, BACKGROUND_COLOR_CONTRAST_MIN_TENTHS, LOGO_BYTES_MAX,
};
use sinete_core::refusal::RefusalCode;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{
    BlockCell, BlockField, ColourBound, FactsBlock, FieldInput, FormBlock, PageBlock,
};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::language::UiLanguage;
use sinete_screens::sample_pages::SamplePage;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerError;

pub(super) use self::samples::{message_style, organization_message_style};

/// The page of an organization.
pub(super) const ORGANIZATION_PAGES: &[OperationPage] = &[OperationPage {
    path: "/console/{organization}/branding",
    section: ConsoleSection::Settings,
    reads: &["getOrganization", "getOrganizationLogo"],
    forms: &[],
    show: |context, _| Box::pin(show_branding(context)),
}];

/// The page of the instance, whose branding is in the configuration.
pub(super) const INSTANCE_PAGES: &[OperationPage] = &[OperationPage {
    path: "/instance/branding",
    section: ConsoleSection::InstanceSettings,
    reads: &["getSettings"],
    forms: &[],
    show: |context, _| Box::pin(show_branding(context)),
}];

/// Whether the page is one of these.
pub(super) fn is_branding_page(page: &OperationPage) -> bool {
    [ORGANIZATION_PAGES, INSTANCE_PAGES]
        .into_iter()
        .flatten()
        .any(|operation_page| operation_page.path == page.path)
}

/// The `action` of the form.
const SAVE: &str = "save";
const PREVIEW: &str = "preview";

/// What is stored, as far as the page needs it.
struct StoredBranding {
    /// The organization; null for the instance.
    organization: Value,
    has_logo: bool,
}

impl StoredBranding {
    async fn load(context: &PageContext<'_>) -> Result<Self, HandlerError> {
        if context.is_of_instance() {
            return Ok(Self { organization: Value::Null, has_logo: false });
        }
        let organization = context.send(context.operation("getOrganization")).await?.body;
        let has_logo = match context.send(context.operation("getOrganizationLogo")).await {
            Ok(_) => true,
            Err(HandlerError::Refused(refusal)) if refusal.code() == RefusalCode::NotFound => false,
            Err(error) => return Err(error),
        };
        Ok(Self { organization, has_logo })
    }

    fn version(&self) -> i64 {
        self.organization.pointer("/version").and_then(Value::as_i64).unwrap_or_default()
    }

    fn field(&self, name: &str) -> String {
        text_at(&self.organization, &format!("/settings/branding/{name}"))
    }
}

async fn show_branding(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let stored = StoredBranding::load(context).await?;
    let flash_form = context.flash.as_ref().filter(|flash| flash.has_input_of(SAVE));
    let draft = match flash_form.and_then(|flash| flash.failed_input()) {
        Some(input) => BrandingDraft::from_form(context, &FormParams::from_pairs(input.to_vec())),
        None => BrandingDraft::from_stored(context, &stored),
    };
    let checked = draft.check();
    let version =
        context.flash.as_ref().map_or(stored.version(), |flash| flash.form_version(SAVE, stored.version()));
    build_content(context, &stored, version, &draft, &checked).await
}

/// Shows a preview of the form, or saves it. A form with a problem is shown again with every problem beside its field.
pub(super) async fn submit_branding_form(
    context: &PageContext<'_>,
    page: &'static OperationPage,
    form: &FormParams,
) -> Outcome {
    let draft = BrandingDraft::from_form(context, form);
    let checked = draft.check();
    match form.get("action") {
        Some(SAVE) if !context.is_of_instance() => {
            context.access.require_fresh_caller(context.engine()).await?;
            if !checked.has_problem() {
                return save_branding(context, &draft, &checked, form).await;
            }
        }
        Some(PREVIEW) => {}
        _ => return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible)),
    }
    let stored = StoredBranding::load(context).await?;
    let version = form.get("version").and_then(|text| text.parse().ok()).unwrap_or_default();
    let content = build_content(context, &stored, version, &draft, &checked).await?;
    Ok(ActionOutcome::Response(content_page(context, page, content)))
}

/// Saves the name and the colors if they were changed, and the logo if one was chosen or removed, each if the version
/// is the displayed one.
async fn save_branding(
    context: &PageContext<'_>,
    draft: &BrandingDraft,
    checked: &CheckedBranding,
    form: &FormParams,
) -> Outcome {
    let refused = |error: HandlerError| match error {
        HandlerError::Refused(refusal) => ActionError::Refused(refusal),
        error => error.into(),
    };
    let stored = StoredBranding::load(context).await?;
    let mut version = form.get("version").and_then(|text| text.parse::<i64>().ok()).unwrap_or_default();
    let fields = [("name", &draft.name), ("accent", &draft.accent), ("background", &draft.background)];
    if fields.iter().any(|(name, text)| stored.field(name) != **text) {
        let value = |text: &str| if text.is_empty() { Value::Null } else { json!(text) };
        let branding: serde_json::Map<String, Value> =
            fields.iter().map(|(name, text)| ((*name).to_owned(), value(text))).collect();
        let operation_call = context
            .operation("updateOrganization")
            .version(Some(version))
            .body(Some(json!({"settings": {"branding": branding}})));
        let saved = context.send(operation_call).await.map_err(refused)?.body;
        version = saved.pointer("/version").and_then(Value::as_i64).unwrap_or_default();
    }
    let logo = match &checked.logo {
        Some(logo) => {
            let data = json!({"data": STANDARD.encode(logo.bytes())});
            Some(context.operation("chooseOrganizationLogo").body(Some(data)))
        }
        None if draft.removes_logo && stored.has_logo => Some(context.operation("removeOrganizationLogo")),
        None => None,
    };
    if let Some(operation_call) = logo {
        context.send(operation_call.version(Some(version))).await.map_err(refused)?;
    }
    Ok(ActionOutcome::Redirect(CompletedAction {
        notice: ConsoleNotice::Saved,
        return_path: context.path.clone(),
    }))
}

async fn build_content(
    context: &PageContext<'_>,
    stored: &StoredBranding,
    version: i64,
    draft: &BrandingDraft,
    checked: &CheckedBranding,
) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let is_instance = context.is_of_instance();
    let may_save = !is_instance && context.can_call("updateOrganization");
    let form = FormBlock {
        action: SAVE.to_owned(),
        title: if may_save { phrases.branding.own } else { phrases.branding.attempt }.to_owned(),
        fields: build_fields(context, stored, draft, checked, may_save),
        hidden: vec![("version".to_owned(), version.to_string())],
        button: if may_save { phrases.branding.save.to_owned() } else { String::new() },
        other_button: Some((PREVIEW.to_owned(), phrases.branding.preview.to_owned())),
        ..FormBlock::default()
    };
    let samples = build_samples(context, stored, draft, checked).await?;
    let mut blocks = vec![PageBlock::Form(form), PageBlock::Samples(samples)];
    if is_instance {
        blocks.extend(configuration_lines(context, checked));
    }
    Ok(PageContent {
        title: phrases.branding.title.to_owned(),
        introduction: if is_instance { phrases.branding.instance_lead } else { phrases.branding.lead }
            .to_owned(),
        blocks,
    })
}

fn build_fields(
    context: &PageContext<'_>,
    stored: &StoredBranding,
    draft: &BrandingDraft,
    checked: &CheckedBranding,
    may_save: bool,
) -> Vec<BlockField> {
    let phrases = context.phrases();
    let field = |name: &str, label: &str, hint: &str, value: &str| BlockField {
        name: name.to_owned(),
        label: label.to_owned(),
        hint: hint.to_owned(),
        value: value.to_owned(),
        ..BlockField::default()
    };
    let colour = |text: &str, tenths: u32, problem: &str| {
        FieldInput::Color(ColourBound {
            text: text.to_owned(),
            contrast_min: f64::from(tenths) / 10.0,
            problem: problem.to_owned(),
        })
    };
    let problem = |branding_problem: Option<draft::BrandingProblem>| {
        branding_problem.map(|branding_problem| branding_problem.text(phrases).to_owned())
    };
    let name_hint = match context.is_of_instance() {
        true => phrases.branding.instance_name_hint,
        false => phrases.branding.name_hint,
    };
    let mut fields = vec![
        BlockField {
            error: problem(checked.name_problem),
            ..field("name", phrases.settings.branding_name, name_hint, &draft.name)
        },
        BlockField {
            input: colour("#ffffff", ACCENT_COLOR_CONTRAST_MIN_TENTHS, phrases.branding.accent_light),
            error: problem(checked.accent_problem),
            ..field("accent", phrases.settings.accent, phrases.settings.accent_hint, &draft.accent)
        },
        BlockField {
            input: colour("#000000", BACKGROUND_COLOR_CONTRAST_MIN_TENTHS, phrases.branding.background_dark),
            error: problem(checked.background_problem),
            ..field(
                "background",
                phrases.settings.background,
                phrases.settings.background_hint,
                &draft.background,
            )
        },
    ];
    if may_save {
        fields.push(BlockField {
            input: FieldInput::File {
                accept: "image/png,image/jpeg,image/webp,image/svg+xml".to_owned(),
                bytes_max: LOGO_BYTES_MAX,
                too_large: phrases.branding.logo_too_large.to_owned(),
            },
            error: problem(checked.logo_problem),
            ..field("logo", phrases.branding.logo, phrases.branding.logo_hint, &draft.logo)
        });
    }
    if may_save && stored.has_logo {
        fields.push(BlockField {
            input: FieldInput::Checkbox(draft.removes_logo),
            ..field("remove_logo", phrases.branding.logo_remove, "", "")
        });
    }
    fields.extend(preview_fields(context, draft));
    fields
}

/// The choice of what the preview shows.
fn preview_fields(context: &PageContext<'_>, draft: &BrandingDraft) -> [BlockField; 2] {
    let phrases = context.phrases();
    let pages =
        SamplePage::ALL.map(|page| (page.name().to_owned(), samples::page_name(page, phrases).to_owned()));
    let languages =
        UiLanguage::ALL.map(|language| (language.tag().to_owned(), language.native_name().to_owned()));
    let choice = |name: &str, label: &str, value: &str, options: Vec<(String, String)>| BlockField {
        name: name.to_owned(),
        label: label.to_owned(),
        value: value.to_owned(),
        input: FieldInput::Choice(options),
        ..BlockField::default()
    };
    [
        choice("page", phrases.branding.page, draft.page.name(), pages.to_vec()),
        choice("language", phrases.branding.language, draft.language.tag(), languages.to_vec()),
    ]
}

/// The lines of the configuration for what was tried.
fn configuration_lines(context: &PageContext<'_>, checked: &CheckedBranding) -> Option<PageBlock> {
    let phrases = context.phrases();
    let settings = serde_json::to_value(&checked.settings).unwrap_or_default();
    let line = |name: &str| {
        let value = text_at(&settings, &format!("/{name}"));
        (!value.is_empty()).then(|| (format!("screens.{name}"), BlockCell::code(json!(value).to_string())))
    };
    let facts: Vec<(String, BlockCell)> =
        ["name", "accent", "background"].into_iter().filter_map(line).collect();
    (!facts.is_empty()).then(|| {
        PageBlock::Facts(FactsBlock {
            id: "configuration".to_owned(),
            title: phrases.branding.configuration.to_owned(),
            facts,
            links: Vec::new(),
        })
    })
}
