//! Which template is used, and that a bad one is not.

use super::super::samples::{find_template_problems, render_sample};
use super::super::{EmailBranding, EmailBrandingAndTemplates, EmailOrganization, EmailOrigin};
use super::*;
use crate::ports::OutgoingEmail;

const ISSUER: &str = "https://id.example";

fn settings(files: &[(&str, &str)]) -> (EmailBrandingAndTemplates, Vec<TemplateProblem>) {
    let owned = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    let (templates, problems) = EmailTemplates::compile(owned);
    (EmailBrandingAndTemplates { branding: EmailBranding::default(), templates }, problems)
}

fn render(files: &[(&str, &str)], kind: &str, slug: Option<&str>, language: Language) -> OutgoingEmail {
    let (settings, problems) = settings(files);
    assert_eq!(problems, []);
    let organization =
        slug.map(|slug| EmailOrganization { slug: slug.to_owned(), branding: EmailBranding::default() });
    let origin = EmailOrigin { issuer: ISSUER, settings: &settings, organization: organization.as_ref() };
    render_sample(kind, origin, &language.into()).unwrap()
}

#[test]
fn email_template_of_the_organization_kind_and_language_wins() {
    let files = [
        ("message.subject", "any"),
        ("invitation.subject", "kind"),
        ("invitation.es.subject", "kind and language"),
        ("organizations/padaria/message.subject", "organization"),
        ("organizations/padaria/invitation.subject", "organization and kind"),
    ];
    let subject = |kind: &str, slug, language| render(&files, kind, slug, language).subject;
    assert_eq!(subject("sign_in", None, Language::English), "any");
    assert_eq!(subject("invitation", None, Language::English), "kind");
    assert_eq!(subject("invitation", None, Language::Spanish), "kind and language");
    assert_eq!(subject("sign_in", Some("padaria"), Language::Spanish), "organization");
    assert_eq!(subject("invitation", Some("padaria"), Language::Spanish), "organization and kind");
    assert_eq!(subject("invitation", Some("another"), Language::Spanish), "kind and language");
}

#[test]
fn email_template_gets_every_variable_and_escapes_html() {
    let html = "{{ service }}|{{ host }}|{{ organization }}|{{ inviter }}|{{ application }}|{{ time }}|{{ language }}\
        {% for fact in facts %}{{ fact.name }}{{ fact.value }}{% endfor %}\
        {% if code %}{{ code }}{% endif %}<a href=\"{{ link }}\">{{ link_label }}</a>";
    let message = render(&[("invitation.html", html)], "invitation", None, Language::English);
    assert!(
        message.html.starts_with("Sinete|id.example|Padaria|Bruno Lima||24 hours|en<a href="),
        "{}",
        message.html
    );
    let text =
        "{{ greeting }} {{ lead }} {{ link_lead }} {{ link }} {{ code_lead }} {{ code }} {{ closing }}";
    let message = render(&[("message.txt", text)], "sign_in", None, Language::Portuguese);
    assert!(message.text.contains("12345678") && message.text.starts_with("Olá,"), "{}", message.text);
    let email_branding = EmailBranding { name: "<b>A & B</b>".to_owned(), ..EmailBranding::default() };
    for name in ["{{ service }}", "{% autoescape false %}{{ service }}{% endautoescape %}"] {
        let (settings, _) = settings(&[("sign_in.html", &format!("{name} {{{{ link }}}} {{{{ code }}}}"))]);
        let settings = EmailBrandingAndTemplates { branding: email_branding.clone(), ..settings };
        let origin = EmailOrigin { issuer: ISSUER, settings: &settings, organization: None };
        let message = render_sample("sign_in", origin, &Language::English.into()).unwrap();
        assert!(message.html.starts_with("&lt;b&gt;A &amp; B&lt;/b&gt; "), "{}", message.html);
    }
}

#[test]
fn email_template_can_share_a_part() {
    let files = [
        ("_foot.html", "<p>{{ service }}</p>"),
        ("message.html", "{{ link }}{{ code }}{% include '_foot.html' %}"),
    ];
    let message = render(&files, "sign_in", None, Language::English);
    assert!(message.html.ends_with("<p>Sinete</p>"), "{}", message.html);
}

#[test]
fn email_template_that_fails_is_replaced_by_the_built_in_text() {
    let default_email = render(&[], "sign_in", None, Language::English);
    for (file, broken) in [
        ("sign_in.html", "{{ unknown }} {{ link }} {{ code }}"),
        ("sign_in.html", "there is no link in it"),
        ("sign_in.html", "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}"),
        ("sign_in.txt", "{{ link }} without the code"),
        ("sign_in.txt", "{{ link|unknown_filter }} {{ code }}"),
        ("sign_in.html", "{{ link|safe }} {{ code }}"),
        ("sign_in.subject", "two\nlines"),
        ("sign_in.subject", "your code is {{ code }}"),
        ("sign_in.subject", " "),
        ("message.html", "{% include '_missing.html' %}{{ link }} {{ code }}"),
    ] {
        let (settings, _) = settings(&[(file, broken)]);
        let origin = EmailOrigin { issuer: ISSUER, settings: &settings, organization: None };
        assert_eq!(
            render_sample("sign_in", origin, &Language::English.into()),
            Some(default_email.clone()),
            "{file}: {broken}"
        );
        let template_problems = find_template_problems(&settings, ISSUER);
        let is_left_out = settings.templates.names.is_empty();
        assert!(
            is_left_out || template_problems.iter().any(|it| it.template == file),
            "{file}: {template_problems:?}"
        );
    }
}

#[test]
fn email_template_with_a_wrong_path_or_syntax_is_reported() {
    for (file, text, expected) in [
        ("sign_in.html", "{% if %}", "syntax error"),
        ("sing_in.html", "x", "there is no message sing_in"),
        ("sign_in.fr.html", "x", "there is no language fr"),
        ("sign_in.htm", "x", "ends with .subject, .txt or .html"),
        ("organizations/No Slug/sign_in.html", "x", "organizations/<slug>"),
        ("a/b/c/sign_in.html", "x", "organizations/<slug>"),
    ] {
        let (settings, problems) = settings(&[(file, text)]);
        assert!(settings.templates.names.is_empty());
        assert!(
            problems.iter().any(|it| it.template == file && it.reason.contains(expected)),
            "{problems:?}"
        );
    }
}

#[test]
fn email_templates_that_work_have_no_problems() {
    let (settings, problems) = settings(&[
        ("message.html", "{{ subject }} {{ lead }} {{ link }} {{ code }}"),
        ("organizations/padaria/message.txt", "{{ lead }} {{ link }} {{ code }}"),
    ]);
    assert!(problems.is_empty() && find_template_problems(&settings, ISSUER).is_empty());
}
