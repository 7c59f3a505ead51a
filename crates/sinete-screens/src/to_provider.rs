//! The way to a provider of an organization. Browsers hold a form to its page's policy through every redirect that
//! follows, and where an organization signs its people in is its own business: so the form ends here, and the way goes
//! on by itself.

use crate::page::{PageFrame, render};
use crate::words::LocalePhrases;
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
    pub fn page(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render(&ProviderRedirectPage { frame, words, title: words.sign_in.to_provider, view: self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brand::PageBranding;
    use crate::language::UiLanguage;

    #[test]
    fn an_address_leads_on_by_itself_and_by_a_button_and_is_never_markup() {
        let brand = PageBranding::default();
        for language in UiLanguage::ALL {
            let view = ProviderRedirectView { address: "https://idp.example/go?a=1&b=\"><script>" };
            let page = view.page(&PageFrame::plain(language, "/id", &brand));
            let escaped = "https://idp.example/go?a=1&#38;b=&#34;&#62;&#60;script&#62;";
            assert!(page.contains(&format!("content=\"0;url={escaped}\"")), "{page}");
            assert!(page.contains(&format!("href=\"{escaped}\"")) && !page.contains("<script>"));
        }
    }
}
