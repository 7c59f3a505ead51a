//! The page to enter the user code of a device, or to confirm the one in the URL.

use crate::form::PageForm;
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct UserCodeView<'a> {
    /// The form's action and CSRF token.
    pub form: PageForm<'a>,
    /// The action that receives the code.
    pub action: &'a str,
    /// The display name of the signed-in user.
    pub account_label: &'a str,
    /// The code from the URL; `None` if the user enters it.
    pub prefilled_code: Option<&'a str>,
    /// The form error.
    pub error: Option<FormError>,
}

#[derive(Template)]
#[template(path = "user_code.html")]
struct UserCodePage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    introduction: &'static str,
    view: &'a UserCodeView<'a>,
    error: Option<String>,
}

impl UserCodeView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let introduction = match self.prefilled_code {
            Some(_) => phrases.device.compare_lead,
            None => phrases.device.code_lead,
        };
        let error_text = self.error.map(|error| error.text(frame.language));
        render_template(&UserCodePage {
            frame,
            phrases,
            title: phrases.device.code_title,
            introduction,
            view: self,
            error: error_text,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branding::PageBranding;
    use crate::language::UiLanguage;

    #[test]
    fn user_code_page_asks_to_compare_a_code_from_the_url_before_submitting() {
        let brand = PageBranding::default();
        for language in UiLanguage::ALL {
            let phrases = language.phrases();
            let form = PageForm { action: "/device?flow=1", csrf: "token" };
            let view = UserCodeView {
                form,
                action: "user_code",
                account_label: "ana@example.org",
                prefilled_code: None,
                error: None,
            };
            let entry_page = view.render(&PageFrame::without_script(language, "", &brand));
            assert!(entry_page.contains(phrases.device.code_lead) && !entry_page.contains("value=\"BCDF"));
            let compared = UserCodeView { prefilled_code: Some("BCDF-GHJK"), ..view }
                .render(&PageFrame::without_script(language, "", &brand));
            assert!(
                compared.contains(phrases.device.compare_lead) && compared.contains("value=\"BCDF-GHJK\"")
            );
            assert!(compared.contains("id=\"code-submit\"") && compared.contains("ana@example.org"));
        }
    }
}
