//! Previews of all screens with sample data, for tests and screenshots. They are never served.

mod console;
mod error_pages;
mod my_account;
mod organization_branding;
mod sign_in;

use crate::assets::ASSETS;
use crate::page::PageFrame;

/// A preview of a page.
#[derive(Clone, Copy, Debug)]
pub struct PagePreview {
    /// The name of the preview.
    pub name: &'static str,
    /// Renders it.
    pub page: fn(&PageFrame<'_>) -> String,
}

/// A file that a preview refers to.
#[derive(Clone, Debug)]
pub struct PreviewFile {
    /// The path below the base URL.
    pub path: &'static str,
    /// The content type.
    pub content_type: &'static str,
    /// The content.
    pub bytes: Vec<u8>,
}

/// All previews, in the order a user might see them.
pub fn all_previews() -> Vec<PagePreview> {
    [
        sign_in::PREVIEWS,
        error_pages::PREVIEWS,
        my_account::PREVIEWS,
        organization_branding::PREVIEWS,
        console::PREVIEWS,
        console::roles::PREVIEWS,
        console::applications::PREVIEWS,
        console::domains::PREVIEWS,
        console::connections::PREVIEWS,
        console::webhooks::PREVIEWS,
        console::audit_log::PREVIEWS,
    ]
    .concat()
}

/// All files they refer to.
pub fn preview_assets() -> Vec<PreviewFile> {
    let preview_assets = ASSETS.into_iter().map(|asset| PreviewFile {
        path: asset.path,
        content_type: asset.content_type,
        bytes: asset.bytes.to_vec(),
    });
    preview_assets.chain(organization_branding::branding_files()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branding::PageBranding;
    use crate::language::UiLanguage;

    #[test]
    fn pages_have_no_inline_code_external_resources_or_duplicate_ids() {
        let brand = PageBranding::default();
        for specimen in all_previews() {
            for language in UiLanguage::ALL {
                let frame = PageFrame {
                    nonce: "nonce",
                    current_path: "/here",
                    ..PageFrame::without_script(language, "/id", &brand)
                };
                let page = (specimen.page)(&frame);
                let name = specimen.name;
                for inline in [" style=\"", "<style", " onclick", " onsubmit", " onload", "javascript:"] {
                    assert!(!page.contains(inline), "{name}: {inline}");
                }
                assert_eq!(page.matches("<script").count(), 1, "{name}");
                for load in page.split(" src=\"").skip(1) {
                    assert!(
                        load.starts_with("/id/assets/") || load.starts_with("data:image/svg+xml,"),
                        "{name}"
                    );
                }
                let mut ids: Vec<&str> =
                    page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
                let count = ids.len();
                ids.sort_unstable();
                ids.dedup();
                assert_eq!(ids.len(), count, "{name}");
                assert_eq!(page.matches("<h1").count(), 1, "{name}");
                assert!(page.matches("autofocus").count() <= 1, "{name}");
                let is_setup_start = name == SETUP_START;
                let secrets = page.matches("name=\"token\" value=\"sn_sl_").count();
                assert_eq!(secrets, usize::from(is_setup_start), "{name}");
                let expected: &[&[&str]] = if is_setup_start { &[&[]] } else { &[&["token"], &["specimen"]] };
                let posted = csrf_tokens_of_forms(&page);
                assert!(posted.iter().all(|form| expected.contains(&&form[..])), "{name}: {posted:?}");
                assert_eq!(posted.len(), page.matches("method=\"post\"").count(), "{name}");
            }
        }
    }

    /// The page that opens a set-up link: its reader has no session yet, so its form has no CSRF token and carries the
    /// secret of the link.
    const SETUP_START: &str = "console-setup-link-start";

    /// The CSRF tokens in each form that posts.
    fn csrf_tokens_of_forms(page: &str) -> Vec<Vec<&str>> {
        let forms = page.split("<form ").skip(1).filter_map(|rest| rest.split("</form>").next());
        forms
            .filter(|form| form.contains("method=\"post\""))
            .map(|form| {
                let values = form.split("name=\"csrf\" value=\"").skip(1);
                values.filter_map(|rest| rest.split('"').next()).collect()
            })
            .collect()
    }

    #[test]
    fn preview_csrf_token_is_not_replaced_by_the_secret_of_a_link() {
        let page = concat!(
            r#"<form method="post"><input type="hidden" name="token" value="sn_sl_4pQJ"></form>"#,
            r#"<form method="get"><input name="q"></form>"#,
            r#"<form method="post"><input type="hidden" name="csrf" value="specimen"></form>"#,
        );
        assert_eq!(csrf_tokens_of_forms(page), [vec![], vec!["specimen"]]);
    }
}
