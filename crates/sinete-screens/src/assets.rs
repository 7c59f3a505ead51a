//! Static assets. The path of each contains a hash of its content, so that browsers can cache it
//! indefinitely.

/// A static file.
#[derive(Clone, Copy, Debug)]
pub struct StaticAsset {
    /// The path below the base URL; its middle part is the content hash.
    pub path: &'static str,
    /// The content type.
    pub content_type: &'static str,
    /// The content.
    pub bytes: &'static [u8],
}

/// The style sheet of all pages.
pub const STYLE: StaticAsset = StaticAsset {
    path: path_text(&STYLE_PATH),
    content_type: "text/css; charset=utf-8",
    bytes: STYLE_TEXT.as_bytes(),
};

/// The additional style sheet of the console.
pub const CONSOLE_STYLE: StaticAsset = StaticAsset {
    path: path_text(&CONSOLE_STYLE_PATH),
    content_type: "text/css; charset=utf-8",
    bytes: CONSOLE_STYLE_TEXT.as_bytes(),
};

/// The additional style sheet of the API explorer.
pub const API_STYLE: StaticAsset = StaticAsset {
    path: path_text(&API_STYLE_PATH),
    content_type: "text/css; charset=utf-8",
    bytes: include_bytes!("../static/style/api.css"),
};

/// The Sinete seal, the default logo.
pub const SEAL: StaticAsset = StaticAsset {
    path: path_text(&SEAL_PATH),
    content_type: "image/svg+xml",
    bytes: include_bytes!("../static/seal.svg"),
};

/// The script for passkeys and progressive enhancement.
pub const SCRIPT: StaticAsset = StaticAsset {
    path: path_text(&SCRIPT_PATH),
    content_type: "text/javascript; charset=utf-8",
    bytes: include_bytes!("../static/screens.js"),
};

/// The style sheet, from shared rules to those of single pages.
const STYLE_TEXT: &str = concat!(
    include_str!("../static/style/tokens.css"),
    include_str!("../static/style/ground.css"),
    include_str!("../static/style/frame.css"),
    include_str!("../static/style/says.css"),
    include_str!("../static/style/fields.css"),
    include_str!("../static/style/presses.css"),
    include_str!("../static/style/setting_up.css"),
    include_str!("../static/style/account.css"),
    include_str!("../static/style/circumstances.css"),
);

/// The additional style sheet of the console.
const CONSOLE_STYLE_TEXT: &str = concat!(
    include_str!("../static/style/console.css"),
    include_str!("../static/style/console_forms.css"),
    include_str!("../static/style/console_blocks.css"),
    include_str!("../static/style/chart.css"),
    include_str!("../static/style/samples.css"),
);

/// All assets.
pub const ASSETS: [StaticAsset; 5] = [STYLE, CONSOLE_STYLE, API_STYLE, SEAL, SCRIPT];

const STYLE_PATH: [u8; 34] = hashed_path(b"/assets/0000000000000000/style.css", STYLE_TEXT.as_bytes());
const CONSOLE_STYLE_PATH: [u8; 36] =
    hashed_path(b"/assets/0000000000000000/console.css", CONSOLE_STYLE_TEXT.as_bytes());
const API_STYLE_PATH: [u8; 32] =
    hashed_path(b"/assets/0000000000000000/api.css", include_bytes!("../static/style/api.css"));
const SEAL_PATH: [u8; 33] =
    hashed_path(b"/assets/0000000000000000/seal.svg", include_bytes!("../static/seal.svg"));
const SCRIPT_PATH: [u8; 35] =
    hashed_path(b"/assets/0000000000000000/screens.js", include_bytes!("../static/screens.js"));

/// The offset of the hash in a path.
const HASH_START: usize = b"/assets/".len();

/// A content hash (FNV-1a). It detects changes and offers no security.
pub const fn fingerprint(content: &[u8]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut index = 0;
    while index < content.len() {
        hash = (hash ^ content[index] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        index += 1;
    }
    hash
}

/// Replaces the sixteen zeros in the path with the content hash.
const fn hashed_path<const LENGTH: usize>(pattern: &[u8; LENGTH], content: &[u8]) -> [u8; LENGTH] {
    let hash = fingerprint(content);
    let mut path = *pattern;
    let mut digit = 0;
    while digit < 16 {
        path[HASH_START + digit] = b"0123456789abcdef"[(hash >> (60 - 4 * digit) & 0x0f) as usize];
        digit += 1;
    }
    path
}

/// The path as text. It is ASCII by construction; the tests below would detect an empty path.
const fn path_text(path: &'static [u8]) -> &'static str {
    match std::str::from_utf8(path) {
        Ok(path) => path,
        Err(_) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asset_path_changes_with_its_content() {
        let path = |content: &[u8]| hashed_path(b"/assets/0000000000000000/x", content);
        assert_eq!(&path(b""), b"/assets/cbf29ce484222325/x");
        assert_eq!(&path(b"a"), b"/assets/af63dc4c8601ec8c/x");
        assert_ne!(path(b"ab"), path(b"ba"));
    }

    #[test]
    fn assets_have_unique_paths_and_content() {
        for asset in ASSETS {
            assert!(asset.path.starts_with("/assets/") && !asset.path.contains("0000000000000000"));
            assert!(!asset.bytes.is_empty());
        }
        assert_ne!(STYLE.path, SEAL.path);
        assert_ne!(STYLE.path, SCRIPT.path);
    }

    #[test]
    fn assets_load_nothing_from_other_origins() {
        for asset in ASSETS {
            let text = std::str::from_utf8(asset.bytes).unwrap();
            let text = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("http") && !text.contains("@import") && !text.contains("import("));
            assert!(!text.contains("<script") && !text.contains("url("));
        }
    }
}
