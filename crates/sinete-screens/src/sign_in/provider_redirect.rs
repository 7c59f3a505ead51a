//! The way to a provider of an organization. Browsers hold a form to its page's policy through every redirect that
//! follows, and where an organization signs its people in is its own business: so the form ends here, and the way goes
//! on by itself.

use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows: where it goes on, which is somebody else's place.
#[derive(Clone, Copy, Debug)]
pub struct ProviderRedirectView<'a> {
    /// The whole address.
    pub address: &'a str,
}

#[derive(Template)]
#[template(path = "to_provider.html")]
struct ProviderRedirectPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    view: &'a ProviderRedirectView<'a>,
}

impl ProviderRedirectView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&ProviderRedirectPage { frame, words, title: words.sign_in.to_provider, view: self })
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
