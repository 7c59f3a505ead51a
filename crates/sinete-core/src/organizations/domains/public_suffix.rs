//! Domains that many share: nobody proves them for an organization. Whoever runs one of them could, and nobody else:
//! these lists keep people from mistakes, and nothing rests on their being complete.

/// Names that have no owner in the DNS.
pub(super) fn is_reserved(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    matches!(last, "arpa" | "invalid" | "local" | "localhost" | "onion")
}

/// Whether others register names of their own right below it.
pub(super) fn is_public_suffix(name: &str) -> bool {
    let Some((first, last)) = name.split_once('.') else { return true };
    let is_of_a_country = last.len() == 2 && SECOND_LEVELS.contains(&first);
    is_of_a_country || HOSTS.contains(&name)
}

/// Whether everybody can have an address in it.
pub(super) fn is_mail_provider(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or_default();
    let is_of_many_countries = name.matches('.').count() <= 2
        && ["gmx", "hotmail", "live", "msn", "outlook", "yahoo", "ymail"].contains(&first);
    is_of_many_countries || MAIL_PROVIDERS.contains(&name)
}

/// What stands before the code of a country where names are registered one level deeper.
const SECOND_LEVELS: &[&str] = &[
    "ac", "adm", "adv", "art", "asn", "co", "com", "coop", "ed", "edu", "eng", "firm", "gen", "go", "gob",
    "gouv", "gov", "govt", "id", "ind", "inf", "info", "jus", "leg", "ltd", "med", "mil", "ne", "net", "nhs",
    "nic", "nom", "or", "org", "plc", "police", "psi", "sch", "school", "web",
];

/// Where providers give everybody a name.
const HOSTS: &[&str] = &[
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

/// Where everybody can have an address, beside those that are in many countries under one name.
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
