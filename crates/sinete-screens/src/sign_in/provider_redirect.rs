//! The redirect to an identity provider. Browsers apply a page's `form-action` policy to all redirects after
//! a form, and that policy cannot list every identity provider. Therefore the form ends at this page, which
//! then continues with a refresh.

use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct ProviderRedirectView<'a> {
    /// The full URL at the identity provider.
    pub address: &'a str,
}

#[derive(Template)]
#[template(path = "provider_redirect.html")]
struct ProviderRedirectPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    view: &'a ProviderRedirectView<'a>,
}

impl ProviderRedirectView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&ProviderRedirectPage {
            frame,
            phrases,
            title: phrases.sign_in.to_provider,
            view: self,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branding::PageBranding;
    use crate::language::UiLanguage;

    #[test]
    fn identity_provider_redirect_page_is_escaped_and_has_a_button() {
        let brand = PageBranding::default();
        for language in UiLanguage::ALL {
            let view = ProviderRedirectView { address: "https://idp.example/go?a=1&b=\"><script>" };
            let page = view.render(&PageFrame::without_script(language, "/id", &brand));
            let escaped = "https://idp.example/go?a=1&#38;b=&#34;&#62;&#60;script&#62;";
            assert!(page.contains(&format!("content=\"0;url={escaped}\"")), "{page}");
            assert!(page.contains(&format!("href=\"{escaped}\"")) && !page.contains("<script>"));
        }
    }
}
