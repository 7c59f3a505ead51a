//! The form of a connection: its fields, with the stored values and with rejected input.

use super::super::PageContext;
use super::provider_protocol;
use crate::console::flash_form::FlashForm;
use crate::console::submitted_form::{SubmittedForm, encode_original_values};
use sinete_core::identity_providers::connections::{ConnectionProtocol, ProviderAuthMethod};
use sinete_core::identity_providers::saml::settings::NAME_ID;
use sinete_engine::identity_providers::connections::ConnectionOverview;
use sinete_screens::console::StepUpFormState;
use sinete_screens::console::connection_wizard::WizardProvider;
use sinete_screens::console::connections::{ConnectionFields, ProviderProtocol};
use sinete_screens::console::notices::ConsoleNotice;

/// The routed domains, which are not covered by the connection's version.
pub(super) const DOMAINS_FIELD: &str = "domains";

/// The text and selection fields that are displayed again. The domains are the last.
pub(super) const TEXT_FIELDS: [&str; 9] = [
    "name",
    "issuer",
    "client_id",
    "authentication",
    "scopes",
    "subject",
    "email",
    "full_name",
    DOMAINS_FIELD,
];

/// Fields that are never displayed again: the client secret and the metadata.
pub(super) const SECRET_FIELD: &str = "client_secret";
pub(super) const METADATA_FIELD: &str = "metadata";

/// The URL that the metadata is fetched from, if it is not in the form.
pub(super) const METADATA_URL_FIELD: &str = "metadata_url";

/// The values of the form.
#[derive(Clone)]
pub(super) struct ConnectionForm {
    protocol: ProviderProtocol,
    exists: bool,
    is_owner: bool,
    has_secret: bool,
    /// Whether this form was submitted and rejected.
    was_submitted: bool,
    /// Whether it contained an input that is not stored.
    needs_retyping: bool,
    /// The URL of the metadata, which is not a setting.
    metadata_url: String,
    guide: Option<WizardProvider>,
    texts: [String; TEXT_FIELDS.len()],
}

impl ConnectionForm {
    /// The form of a new connection, with rejected input.
    pub(super) fn new(context: &PageContext<'_>, speaks: ProviderProtocol) -> Self {
        Self::with_name(context, speaks, "")
    }

    /// The same with a suggested name.
    pub(super) fn with_name(context: &PageContext<'_>, speaks: ProviderProtocol, name: &str) -> Self {
        let mut filled = Self {
            protocol: speaks,
            exists: false,
            is_owner: true,
            has_secret: false,
            was_submitted: false,
            needs_retyping: false,
            metadata_url: String::new(),
            guide: None,
            texts: Default::default(),
        };
        filled.set_text("name", name);
        filled.set_text("authentication", "client_secret");
        filled.set_text("scopes", "openid email profile");
        filled.set_text("subject", NAME_ID);
        filled.with_texts(context.flash.as_ref(), form_name(speaks))
    }

    /// The form in the guide to a provider.
    pub(super) const fn in_guide(mut self, provider: WizardProvider) -> Self {
        self.guide = Some(provider);
        self
    }

    /// The form of an existing connection.
    pub(super) fn from_connection(context: &PageContext<'_>, overview: &ConnectionOverview) -> Self {
        let settings = &overview.connection.settings;
        let speaks = provider_protocol(settings);
        let mut filled = Self {
            protocol: speaks,
            exists: true,
            is_owner: context.access.organization_access().is_owner,
            has_secret: overview.connection.has_secret,
            was_submitted: false,
            needs_retyping: false,
            metadata_url: String::new(),
            guide: None,
            texts: Default::default(),
        };
        filled.set_text("name", &settings.name);
        match &settings.protocol {
            ConnectionProtocol::OpenId(open_id) => {
                filled.set_text("client_id", &open_id.client_id);
                filled.set_text(
                    "authentication",
                    match open_id.authentication {
                        ProviderAuthMethod::ClientSecret => "client_secret",
                        ProviderAuthMethod::PrivateKey => "private_key",
                    },
                );
                filled.set_text("scopes", &open_id.scopes.join(" "));
            }
            ConnectionProtocol::Saml(saml) => {
                filled.set_text("subject", &saml.subject);
                filled.set_text("email", saml.email.as_deref().unwrap_or_default());
                filled.set_text("full_name", saml.full_name.as_deref().unwrap_or_default());
            }
        }
        filled.set_text(DOMAINS_FIELD, &domain_lines(overview));
        filled
    }

    /// The same with the user's unsaved changes. Unchanged fields have the current values.
    pub(super) fn with_submitted_changes(&self, context: &PageContext<'_>) -> Self {
        self.clone().with_texts(context.flash.as_ref(), "change")
    }

    fn with_texts(mut self, flash: Option<&FlashForm>, form: &str) -> Self {
        // Also if the input was too large to be stored: its error is shown anyway.
        self.was_submitted = flash
            .is_some_and(|flash| flash.is_form_open(form) && flash.notice().is_some_and(|it| it.is_error()));
        let Some(retyped) = SubmittedForm::from_flash(flash, form) else { return self };
        let never = if self.protocol == ProviderProtocol::Saml { METADATA_FIELD } else { SECRET_FIELD };
        self.needs_retyping = flash.is_some_and(|flash| flash.needs_retyping(form, never));
        let url = flash.and_then(|flash| flash.typed_field(METADATA_URL_FIELD)).unwrap_or_default();
        url.clone_into(&mut self.metadata_url);
        for name in TEXT_FIELDS {
            if let Some(text) = retyped.changed_text(name) {
                self.set_text(name, text);
            }
        }
        self
    }

    fn set_text(&mut self, name: &str, text: &str) {
        if let Some((_, stored_text)) = TEXT_FIELDS.iter().zip(&mut self.texts).find(|(key, _)| **key == name)
        {
            text.clone_into(stored_text);
        }
    }

    /// The displayed values, which the form submits. Domains that are displayed again after a rejection keep
    /// the fingerprint of what was shown originally, because no version covers concurrent changes to them;
    /// after a conflict, the page shows the current ones.
    pub(super) fn original_values(&self, flash: Option<&FlashForm>) -> String {
        let values = TEXT_FIELDS.into_iter().zip(self.texts.iter().map(String::as_str));
        let submitted_form = SubmittedForm::from_flash(
            flash.filter(|flash| flash.notice() != Some(ConsoleNotice::Changed)),
            "change",
        );
        let submitted_form =
            submitted_form.filter(|submitted_form| submitted_form.changed_text(DOMAINS_FIELD).is_some());
        match submitted_form
            .as_ref()
            .and_then(|submitted_form| submitted_form.original_fingerprints(TEXT_FIELDS.len())?.last())
        {
            Some(before) => {
                encode_original_values(values.filter(|(name, _)| *name != DOMAINS_FIELD), []) + before
            }
            None => encode_original_values(values, []),
        }
    }

    /// Whether the error is in a field that only owners see.
    pub(super) const fn is_hidden_field(&self, notice: ConsoleNotice) -> bool {
        !self.is_owner
            && matches!(
                notice,
                ConsoleNotice::BadMetadata
                    | ConsoleNotice::BadSubject
                    | ConsoleNotice::BadAttribute
                    | ConsoleNotice::BadNameAttribute
                    | ConsoleNotice::BadClientId
                    | ConsoleNotice::BadScopes
            )
    }

    pub(super) fn to_fields<'a>(&'a self, form: &'a str, stands: StepUpFormState) -> ConnectionFields<'a> {
        let [name, issuer, client_id, authentication, scopes, subject, email, full_name, domains] =
            self.texts.each_ref().map(String::as_str);
        let Self {
            protocol: speaks,
            exists,
            is_owner: decides,
            has_secret,
            was_submitted,
            needs_retyping,
            guide,
            ..
        } = *self;
        ConnectionFields {
            form,
            form_state: stands,
            was_submitted,
            needs_retyping,
            protocol: speaks,
            guide,
            is_for_setup_link: false,
            exists,
            can_change_trust: decides,
            has_secret,
            name,
            issuer,
            metadata_url: &self.metadata_url,
            client_id,
            authentication,
            scopes,
            subject,
            email,
            full_name,
            domains,
        }
    }
}

/// The routed domains, one per line.
pub(super) fn domain_lines(overview: &ConnectionOverview) -> String {
    let domains: Vec<String> = overview.domains.iter().map(|domain| domain.to_unicode()).collect();
    domains.join("\n")
}

/// The name of the form for a protocol.
const fn form_name(speaks: ProviderProtocol) -> &'static str {
    match speaks {
        ProviderProtocol::OpenId => "open_id",
        ProviderProtocol::Saml => "saml",
    }
}
