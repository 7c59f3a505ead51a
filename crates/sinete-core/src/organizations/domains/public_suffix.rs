//! Shared domains that no organization can verify. Only their own administrators could, so these lists
//! prevent mistakes and security does not depend on their completeness.

/// Whether the name is reserved and has no owner in the DNS.
pub(super) fn is_reserved(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    matches!(last, "arpa" | "invalid" | "local" | "localhost" | "onion")
}

/// Whether others register names directly below it.
pub(super) fn is_public_suffix(name: &str) -> bool {
    let Some((first, last)) = name.split_once('.') else { return true };
    let is_of_a_country = last.len() == 2 && SECOND_LEVELS.contains(&first);
    is_of_a_country || HOSTING_PROVIDERS.contains(&name)
}

/// Whether anyone can get an e-mail address in it.
pub(super) fn is_mail_provider(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or_default();
    let is_of_many_countries = name.matches('.').count() <= 2
        && ["gmx", "hotmail", "live", "msn", "outlook", "yahoo", "ymail"].contains(&first);
    is_of_many_countries || MAIL_PROVIDERS.contains(&name)
}

/// Second-level labels under country codes where names are registered at the third level.
const SECOND_LEVELS: &[&str] = &[
    "ac", "adm", "adv", "art", "asn", "co", "com", "coop", "ed", "edu", "eng", "firm", "gen", "go", "gob",
    "gouv", "gov", "govt", "id", "ind", "inf", "info", "jus", "leg", "ltd", "med", "mil", "ne", "net", "nhs",
    "nic", "nom", "or", "org", "plc", "police", "psi", "sch", "school", "web",
];

/// Hosting providers that give every customer a subdomain.
const HOSTING_PROVIDERS: &[&str] = &[
    "amazonaws.com",
    "appspot.com",
    "azurewebsites.net",
    "blogspot.com",
    "cloudfront.net",
    "firebaseapp.com",
    "fly.dev",
    "github.io",
    "gitlab.io",
    "herokuapp.com",
    "netlify.app",
    "onmicrosoft.com",
    "onrender.com",
    "pages.dev",
    "railway.app",
    "vercel.app",
    "web.app",
    "wordpress.com",
    "workers.dev",
];

/// E-mail providers, apart from those that exist in many countries under one name.
const MAIL_PROVIDERS: &[&str] = &[
    "163.com",
    "aol.com",
    "bol.com.br",
    "fastmail.com",
    "gmail.com",
    "globo.com",
    "googlemail.com",
    "hey.com",
    "icloud.com",
    "ig.com.br",
    "mac.com",
    "mail.com",
    "mail.ru",
    "me.com",
    "naver.com",
    "pm.me",
    "proton.me",
    "protonmail.com",
    "qq.com",
    "r7.com",
    "sapo.pt",
    "terra.com.br",
    "tuta.com",
    "tutanota.com",
    "uol.com.br",
    "web.de",
    "yandex.com",
    "yandex.ru",
    "zipmail.com.br",
    "zoho.com",
];
