//! What can be registered, what matches, and what users are shown.

use super::*;
use proptest::prelude::*;

fn registered(uri: &str) -> [RedirectUri; 1] {
    [uri.parse().unwrap()]
}

#[test]
fn redirect_uri_is_displayed_by_its_host() {
    for (uri, host, is_loopback) in [
        ("https://app.example/cb?x=1", "app.example", false),
        ("https://app.example:8443/cb", "app.example:8443", false),
        ("https://localhost:8443/cb", "localhost:8443", true),
        ("http://127.0.0.1/cb", "127.0.0.1", true),
        ("http://[::1]:81/cb", "[::1]", true),
        ("com.example.app:/cb", "com.example.app", false),
        ("com.example.app://cb", "com.example.app", false),
    ] {
        let callback = MatchedRedirectUri(uri.into());
        assert_eq!((callback.host(), callback.is_loopback()), (host, is_loopback), "{uri}");
    }
}

#[test]
fn redirect_uri_matches_only_in_the_registered_spelling() {
    let registered = registered("https://a.example/cb");
    assert_eq!(
        MatchedRedirectUri::match_registered(&registered, "https://a.example/cb").unwrap().as_str(),
        "https://a.example/cb"
    );
    for requested_uri in [
        "https://a.example/cb/",
        "https://a.example/cb?x",
        "https://a.example/cb#f",
        "https://a.example/CB",
        "https://A.example/cb",
        "https://a.example:443/cb",
        "https://a.example@evil.example/cb",
        "https://a.example\\@evil.example/cb",
        "https://a.example/cb/..;/x",
        "https://a.example/%2e%2e/cb",
        "https://xn--a-example/cb",
        "https://a.example./cb",
        "https://a.example/c\tb",
        "https://a.example/cb\n",
        "http://a.example/cb",
        " https://a.example/cb",
        "",
    ] {
        assert_eq!(
            MatchedRedirectUri::match_registered(&registered, requested_uri),
            None,
            "{requested_uri:?}"
        );
    }
}

#[test]
fn redirect_uri_that_could_leak_the_response_cannot_be_registered() {
    use InvalidRedirectUri::*;
    for (text, redirect_uri) in [
        ("javascript:alert(1)", Scheme),
        ("JavaScript:alert(1)", Scheme),
        ("data:text/html,x", Scheme),
        ("vbscript:x", Scheme),
        ("file:///etc/passwd", Scheme),
        ("file://host/etc/passwd", Scheme),
        ("javascript://app/%0aalert(1)", Scheme),
        ("JavaScript://app/%0aalert(1)", Scheme),
        ("data://text/html,x", Scheme),
        ("intent://app/#Intent;end", Fragment),
        ("intent://app/cb", Scheme),
        ("view-source://a.example/cb", Scheme),
        ("ms-msdt://app/cb", Scheme),
        ("search-ms://app/cb", Scheme),
        ("web+notes://app/cb", Scheme),
        ("chrome-extension://app/cb", Scheme),
        ("ws://a.example/cb", Scheme),
        ("ftp://a.example/cb", Scheme),
        ("myapp:/cb", Scheme),
        ("myapp:///cb", Scheme),
        ("myapp://", Scheme),
        ("myapp:cb", Scheme),
        ("MyApp://host/cb", Scheme),
        ("myapp://host:80/cb", Scheme),
        ("myapp://*/cb", Scheme),
        ("myapp://*.example/cb", Scheme),
        ("myapp://%68ost/cb", Scheme),
        ("myapp://[::1]/cb", Scheme),
        ("myapp://host/../cb", Host),
        ("myapp://host/%2e%2E/cb", Host),
        ("myapp://me@host/cb", Credentials),
        ("myapp://host/cb#fragment", Fragment),
        ("http://a.example/cb", Scheme),
        ("http://127.0.0.1.evil.example/cb", Scheme),
        ("http://localhost.evil.example/cb", Scheme),
        ("http://127.0.0.1@evil.example/cb", Credentials),
        ("https://user@a.example/cb", Credentials),
        ("https://@a.example/cb", Credentials),
        ("https://a.example/cb#fragment", Fragment),
        ("https://a.example/cb#", Fragment),
        ("https://*.a.example/cb", Host),
        ("https://A.example/cb", Host),
        ("https://a.example:443/cb", Host),
        ("https://a.example./cb", Host),
        ("https://0x7f.1/cb", Host),
        ("https://a.example/x/../cb", Host),
        ("https://a.example/x/%2E%2e/cb", Host),
        ("https://a.example/..;/cb", Host),
        ("https:a.example/cb", Scheme),
        ("https:///cb", Host),
        ("https://a.example\\cb", Malformed),
        ("https://a.example/c b", Malformed),
        ("https://é.example/cb", Malformed),
        ("/cb", Malformed),
        ("", Malformed),
    ] {
        assert_eq!(text.parse::<RedirectUri>(), Err(redirect_uri), "{text:?}");
    }
    assert!(format!("https://a.example/{}", "x".repeat(2048)).parse::<RedirectUri>().is_err());
}

#[test]
fn redirect_uri_of_a_web_or_native_application_can_be_registered() {
    for text in [
        "https://a.example",
        "https://a.example:8443/cb?x=y",
        "com.example.app:/cb",
        "http://[::1]:9/cb",
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "vscode://vscode.github-authentication/did-authenticate",
        "vscode-insiders://publisher.extension",
        "obsidian://host?x=y",
    ] {
        assert!(text.parse::<RedirectUri>().is_ok(), "{text}");
    }
}

#[test]
fn redirect_uri_of_an_unowned_scheme_requires_consent_each_time() {
    for (uri, asks) in [
        ("cursor://anysphere.cursor-mcp/cb", true),
        ("vscode://host", true),
        ("com.example.app:/cb", false),
        ("com.example.app://cb", false),
        ("https://a.example/cb", false),
        ("http://127.0.0.1:9/cb", false),
    ] {
        let matched = MatchedRedirectUri::match_registered(&registered(uri), uri).unwrap();
        assert_eq!(matched.requires_consent_each_time(), asks, "{uri}");
    }
}

#[test]
fn redirect_uri_that_cannot_be_used_is_named_in_the_error() {
    let long = format!("myapp:/{}", "x".repeat(200));
    for (text, name) in [
        ("myapp:/cb", "`myapp:/cb` cannot be used: "),
        ("https://a.example/\"<b>\u{e9}\n", "`https://a.example/%22%3Cb%3E%C3%A9%0A` cannot be used: "),
        ("", "`` cannot be used: "),
        (&long, &format!("`{}...` cannot be used: ", &long[..120])),
    ] {
        let mut errors = ValidationErrors::default();
        assert_eq!(parse_submitted_uri(&mut errors, "/redirect_uris/0".to_owned(), text), None);
        let fault = errors.iter().next().unwrap();
        assert!(fault.text.starts_with(name), "{}", fault.text);
    }
}

#[test]
fn redirect_uri_query_with_a_response_parameter_is_found_in_every_encoding() {
    for (query, expected) in [
        ("?code=x", Some("code")),
        ("?a=b&state", Some("state")),
        ("?c%6Fde=x", Some("code")),
        ("?iss=https://evil.example", Some("iss")),
        ("?error=access_denied", Some("error")),
        ("", None),
        ("?", None),
        ("?tenant=code&Code=1&codes=2", None),
    ] {
        let uri: RedirectUri = format!("https://a.example/cb{query}").parse().unwrap();
        assert_eq!(uri.reserved_query_parameter(), expected, "{query}");
    }
    let redirect_uri: RedirectUri = "com.example.app:/cb?state=x".parse().unwrap();
    assert_eq!(redirect_uri.reserved_query_parameter(), Some("state"));
}

#[test]
fn redirect_uri_on_loopback_without_a_port_matches_every_port() {
    let any = registered("http://127.0.0.1/cb");
    for requested_uri in ["http://127.0.0.1/cb", "http://127.0.0.1:1/cb", "http://127.0.0.1:65535/cb"] {
        assert!(MatchedRedirectUri::match_registered(&any, requested_uri).is_some(), "{requested_uri}");
    }
    for requested_uri in [
        "http://127.0.0.1:0/cb",
        "http://127.0.0.1:65536/cb",
        "http://127.0.0.1:080/cb",
        "http://127.0.0.1:/cb",
        "http://127.0.0.1:80/other",
        "http://127.0.0.1:80/cb?x",
        "http://127.0.0.1:80@evil.example/cb",
        "https://127.0.0.1:80/cb",
        "http://localhost:80/cb",
        "http://[::1]:80/cb",
    ] {
        assert_eq!(MatchedRedirectUri::match_registered(&any, requested_uri), None, "{requested_uri}");
    }
    assert!(
        MatchedRedirectUri::match_registered(
            &registered("http://127.0.0.1:7000/cb"),
            "http://127.0.0.1:7001/cb"
        )
        .is_none()
    );
    assert!(
        MatchedRedirectUri::match_registered(&registered("http://localhost/cb"), "http://localhost:5173/cb")
            .is_some()
    );
}

proptest! {
    #[test]
    fn redirect_uri_parsing_never_panics_and_a_parsed_uri_matches_itself(text in "(https?|com\\.x)://?[ -~]{0,40}") {
        if let Ok(uri) = text.parse::<RedirectUri>() {
            prop_assert_eq!(uri.as_str(), &text);
            prop_assert!(MatchedRedirectUri::match_registered(&[uri], &text).is_some());
        }
    }

    #[test]
    fn redirect_uri_match_never_leaves_the_registered_host(asked in "http://(127\\.0\\.0\\.1|localhost)[:/@?.a-z0-9]{0,20}") {
        if MatchedRedirectUri::match_registered(&registered("http://127.0.0.1/cb"), &asked).is_some() {
            let url = Url::parse(&asked).unwrap();
            prop_assert_eq!(url.host_str(), Some("127.0.0.1"));
            prop_assert_eq!(url.path(), "/cb");
        }
    }
}
