//! The files a page refers to. Each lives at a path that changes with its content, so that a browser may
//! keep it for as long as it likes.

/// A file that is served as it is.
#[derive(Clone, Copy, Debug)]
pub struct StaticAsset {
    /// Where it lives, below the base address; the middle part follows from the content.
    pub path: &'static str,
    /// What it is.
    pub content_type: &'static str,
    /// What is in it.
    pub bytes: &'static [u8],
}

/// How everything looks.
pub const STYLE: StaticAsset = StaticAsset {
    path: path_text(&STYLE_PATH),
    content_type: "text/css; charset=utf-8",
    bytes: STYLE_TEXT.as_bytes(),
};

/// How the console looks, beside what everything has.
pub const CONSOLE_STYLE: StaticAsset = StaticAsset {
    path: path_text(&CONSOLE_STYLE_PATH),
    content_type: "text/css; charset=utf-8",
    bytes: include_bytes!("../static/style/console.css"),
};

/// The mark of the house.
pub const SEAL: StaticAsset = StaticAsset {
    path: path_text(&SEAL_PATH),
    content_type: "image/svg+xml",
    bytes: include_bytes!("../static/seal.svg"),
};

/// What makes passkeys work and the rest pleasant.
pub const SCRIPT: StaticAsset = StaticAsset {
    path: path_text(&SCRIPT_PATH),
    content_type: "text/javascript; charset=utf-8",
    bytes: include_bytes!("../static/screens.js"),
};

/// The style sheet, from what everything shares to what few pages have.
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

/// Every file there is.
pub const ASSETS: [StaticAsset; 4] = [STYLE, CONSOLE_STYLE, SEAL, SCRIPT];

const STYLE_PATH: [u8; 34] = hashed_path(b"/assets/0000000000000000/style.css", STYLE_TEXT.as_bytes());
const CONSOLE_STYLE_PATH: [u8; 36] =
    hashed_path(b"/assets/0000000000000000/console.css", include_bytes!("../static/style/console.css"));
const SEAL_PATH: [u8; 33] =
    hashed_path(b"/assets/0000000000000000/seal.svg", include_bytes!("../static/seal.svg"));
const SCRIPT_PATH: [u8; 35] =
    hashed_path(b"/assets/0000000000000000/screens.js", include_bytes!("../static/screens.js"));

/// Where the hash stands in a path.
const HASH_START: usize = b"/assets/".len();

/// A number that changes when the content does (FNV-1a); nobody relies on it for more.
pub const fn fingerprint(content: &[u8]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut place = 0;
    while place < content.len() {
        hash = (hash ^ content[place] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        place += 1;
    }
    hash
}

/// The path with the content's fingerprint in place of its sixteen zeroes.
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

/// The path as text. It is ASCII by construction; the empty path would be noticed by the tests below.
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
