//! Private-use schemes of native applications that are no reversed domain name, such as `cursor` and `vscode`.
//! They need an authority that tells the recipients below the scheme apart.

use super::{InvalidRedirectUri, extract_authority, has_dot_segments};

/// Schemes that are no application's own: browsers, operating systems or network services act on them.
const FOREIGN_SCHEMES: &[&str] = &[
    "about",
    "afp",
    "android-app",
    "blob",
    "cap",
    "chrome",
    "chrome-extension",
    "cid",
    "content",
    "data",
    "dav",
    "dns",
    "edge",
    "facetime",
    "feed",
    "file",
    "filesystem",
    "ftp",
    "ftps",
    "geo",
    "git",
    "gopher",
    "http",
    "https",
    "imap",
    "intent",
    "ipp",
    "ipps",
    "irc",
    "ircs",
    "itms",
    "jar",
    "javascript",
    "jdbc",
    "ldap",
    "ldaps",
    "livescript",
    "magnet",
    "mailto",
    "market",
    "mhtml",
    "mk",
    "mocha",
    "moz-extension",
    "news",
    "nfs",
    "nntp",
    "opera",
    "pop",
    "rdp",
    "redis",
    "resource",
    "res",
    "rsync",
    "rtmp",
    "rtsp",
    "safari-web-extension",
    "sftp",
    "shell",
    "sip",
    "sips",
    "sms",
    "smb",
    "snmp",
    "ssh",
    "svn",
    "tel",
    "telnet",
    "tftp",
    "urn",
    "vbs",
    "vbscript",
    "view-source",
    "vnc",
    "ws",
    "wss",
    "wyciwyg",
    "xmpp",
];

/// Prefixes of schemes with which Windows starts parts of itself, with arguments from the URI.
const FOREIGN_PREFIXES: &[&str] = &["ms-", "search-ms", "search", "microsoft-edge", "windows"];

/// Checks a scheme without a dot: it is an application's own, in lower case, and has a plain authority.
pub(super) fn check_scheme_with_authority(scheme: &str, text: &str) -> Result<(), InvalidRedirectUri> {
    let has_authority = text.strip_prefix(scheme).is_some_and(|rest| rest.starts_with("://"));
    let is_foreign = FOREIGN_SCHEMES.contains(&scheme)
        || FOREIGN_PREFIXES.iter().any(|prefix| scheme.starts_with(prefix))
        // Wrappers such as `feed:javascript:` and `web+http:` hand the rest to another scheme.
        || scheme.starts_with("web+");
    if !has_authority || is_foreign || !is_plain_authority(extract_authority(text)) {
        return Err(InvalidRedirectUri::Scheme);
    }
    if has_dot_segments(text) { Err(InvalidRedirectUri::Host) } else { Ok(()) }
}

/// Whether any application may claim this scheme: it is neither of the web nor a reversed domain name.
pub(super) fn is_unowned(scheme: &str) -> bool {
    !matches!(scheme, "http" | "https") && !scheme.contains('.')
}

/// Whether the authority is a name that every parser reads alike: letters, digits, dots, hyphens, underscores.
fn is_plain_authority(authority: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    !authority.is_empty() && authority.bytes().all(is_plain)
}
