//! Writes every screen to a folder in every language, for viewing in a browser.
//!
//! `cargo run -p sinete-screens --example gallery --features previews -- FOLDER`

use sinete_screens::branding::PageBranding;
use sinete_screens::language::UiLanguage;
use sinete_screens::page::PageFrame;
use sinete_screens::previews;
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::args().nth(1).unwrap_or_else(|| "gallery".to_owned()));
    let folder = folder
        .canonicalize()
        .or_else(|_| fs::create_dir_all(&folder).and_then(|()| folder.canonicalize()))?;
    for file in previews::preview_assets() {
        let path = folder.join(file.path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        fs::write(path, file.bytes)?;
    }
    let brand = PageBranding::default();
    for language in UiLanguage::ALL {
        for preview in previews::all_previews() {
            // Without a leading slash, the files are resolved relative to the page.
            let frame = PageFrame {
                nonce: "gallery",
                current_path: "/",
                ..PageFrame::without_script(language, ".", &brand)
            };
            let name = format!("{}.{}.html", preview.name, language.tag());
            fs::write(folder.join(name), (preview.page)(&frame))?;
        }
    }
    Ok(())
}
