use super::*;

const ISSUER: &str = "https://id.example.com";

fn settings<'a>(
    redirects: &'a str,
    post_logout_redirects: &'a str,
    is_public: bool,
) -> QuickstartSettings<'a> {
    let samples = SampleSelection::All;
    QuickstartSettings {
        issuer: ISSUER,
        id: "my-shop",
        redirect_uris: redirects,
        post_logout_redirect_uris: post_logout_redirects,
        is_public,
        samples,
    }
}

fn all_quickstarts(redirects: &str, post_logout_redirects: &str) -> Vec<QuickstartCode> {
    [false, true]
        .into_iter()
        .flat_map(|is_public| settings(redirects, post_logout_redirects, is_public).quickstarts())
        .collect()
}

fn find<'a>(quickstarts: &'a [QuickstartCode], slug: &str) -> &'a QuickstartCode {
    quickstarts.iter().find(|it| it.slug == slug).unwrap()
}

#[test]
fn quickstart_code_has_the_values_of_the_application() {
    let mut names = Vec::new();
    for quickstart in all_quickstarts("", "") {
        let code = &quickstart.code;
        assert!(code.contains("my-shop") && code.contains(ISSUER), "{}: {code}", quickstart.name);
        for other in ["localhost:8080", "__ISSUER__", "invoices", "client_id: \"quickstart"] {
            assert!(!code.contains(other), "{} has {other}", quickstart.name);
        }
        names.push(quickstart.slug);
    }
    assert_eq!(names, ["nextjs", "express", "fastapi", "django", "spring", "go", "axum", "dotnet", "react"]);
}

#[test]
fn quickstart_replacements_each_find_their_text_in_the_example() {
    for quickstart in &QUICKSTARTS {
        for (sample, _) in quickstart.replacements {
            assert!(quickstart.source.contains(sample), "{} lacks {sample}", quickstart.slug);
        }
    }
}

#[test]
fn quickstart_code_uses_the_registered_redirect_uri() {
    let quickstarts = all_quickstarts(
        "https://shop.example/oidc/done\nhttp://localhost:23600/oidc/done",
        "http://localhost:23600/bye",
    );
    for quickstart in &quickstarts {
        let (code, name) = (&quickstart.code, quickstart.name);
        assert!(!code.contains("3000") && !code.contains("/callback\""), "{name}: {code}");
        assert!(!code.contains("[uri]"), "{name}: {code}");
        if quickstart.has_fixed_path {
            continue;
        }
        assert_eq!(quickstart.redirect_uri.uri, "http://localhost:23600/oidc/done", "{name}");
        assert!(quickstart.redirect_uri.is_registered, "{name}");
        assert!(code.contains("oidc/done"), "{name}: {code}");
        if let Some(end) = &quickstart.post_logout_redirect_uri {
            assert!(end.is_registered && end.uri == "http://localhost:23600/bye", "{name}: {end:?}");
            assert!(code.contains("/bye\""), "{name}: {code}");
        }
    }
    for (slug, line) in [
        ("express", "PORT = \"23600\""),
        ("express", "app.get(\"/oidc/done\""),
        ("fastapi", "@app.get(\"/oidc/done\")"),
        ("django", "path(\"oidc/done\", callback)"),
        ("django", "\"localhost:23600\"]"),
        ("spring", "${PORT:23600}"),
        ("go", "\"GET /oidc/done\""),
        ("axum", ".route(\"/oidc/done\""),
        ("dotnet", "app.Run(\"http://localhost:23600\")"),
        ("dotnet", "SignedOutCallbackPath = \"/bye\""),
        ("react", "  redirect_uri: \"http://localhost:23600/oidc/done\""),
    ] {
        let code = &find(&quickstarts, slug).code;
        assert!(code.contains(line), "{slug} lacks {line}: {code}");
    }
}

#[test]
fn quickstart_of_a_framework_with_a_fixed_path_names_the_redirect_uri_to_register() {
    let unregistered = all_quickstarts("http://localhost:23600/callback", "");
    for (slug, path) in [("nextjs", "/api/auth/callback/sinete"), ("spring", "/login/oauth2/code/sinete")] {
        let uri = format!("http://localhost:23600{path}");
        let quickstart = find(&unregistered, slug);
        assert!(quickstart.has_fixed_path && !quickstart.redirect_uri.is_registered, "{slug}");
        assert_eq!(quickstart.redirect_uri.uri, uri);
        let redirects = format!("http://localhost:23600/callback\n{uri}");
        let registered = all_quickstarts(&redirects, "");
        assert!(find(&registered, slug).redirect_uri.is_registered, "{slug}");
    }
    let end = find(&unregistered, "express").post_logout_redirect_uri.as_ref().unwrap();
    assert!(!end.is_registered && end.uri == "http://localhost:23600/", "{end:?}");
}

#[test]
fn quickstart_code_does_not_contain_a_redirect_uri_that_it_cannot_serve() {
    for redirects in [
        "com.example.shop:/cb",
        "http://localhost:23600/",
        "http://localhost:23600/login",
        "http://localhost:23600/:cb\"+x",
        "http://localhost:23600/cb?a=b",
        "",
    ] {
        let quickstarts = settings(redirects, "", false).quickstarts();
        let express = find(&quickstarts, "express");
        assert!(!express.redirect_uri.is_registered, "{redirects}");
        assert!(express.code.contains("app.get(\"/callback\""), "{redirects}: {}", express.code);
        assert!(express.redirect_uri.uri.ends_with("/callback"), "{redirects}");
    }
    // A single-page application takes the code at any path.
    let react = settings("http://localhost:23600/", "", true).quickstarts();
    assert!(react[0].redirect_uri.is_registered && react[0].code.contains("\"http://localhost:23600/\""));
}

#[test]
fn quickstart_code_listens_on_this_machine_for_a_public_redirect_uri() {
    let quickstarts = settings("https://shop.example/cb", "", false).quickstarts();
    let django = &find(&quickstarts, "django").code;
    assert!(
        django.contains("BASE_URL = \"https://shop.example\"") && django.contains("\"localhost:3000\"]"),
        "{django}"
    );
    assert!(django.contains("ALLOWED_HOSTS=[\"shop.example\"]"), "{django}");
}

#[test]
fn quickstart_page_shows_the_selected_sample_with_links_to_the_others() {
    let of = |samples, is_public| QuickstartSettings {
        samples,
        ..settings("http://localhost:3000/callback", "", is_public)
    };
    let slugs = |samples, is_public| -> Vec<&str> {
        of(samples, is_public).quickstarts().iter().map(|it| it.slug).collect()
    };
    assert_eq!(slugs(SampleSelection::One("go"), false), ["go"]);
    let links = of(SampleSelection::One("go"), false).sample_links();
    assert!(links.len() > 1 && links.iter().filter(|it| it.is_shown).all(|it| it.slug == "go"));
    assert_eq!(links.iter().filter(|it| it.is_shown).count(), 1);
    // What is unknown or does not fit is the first one.
    for other in ["", "react", "none"] {
        assert_eq!(slugs(SampleSelection::One(other), false), ["nextjs"], "{other}");
    }
    // One sample needs no links, and neither do all of them.
    assert_eq!(slugs(SampleSelection::One(""), true), ["react"]);
    assert!(of(SampleSelection::One(""), true).sample_links().is_empty());
    assert!(slugs(SampleSelection::All, false).len() > 1);
    assert!(of(SampleSelection::All, false).sample_links().is_empty());
}
