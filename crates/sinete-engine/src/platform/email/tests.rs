//! Properties of all messages.

use super::samples::{sample_kinds, sample_sighting};
use super::*;
use sinete_store::sign_in::credentials::StoredCredentialKind;

const LANGUAGES: [Language; 4] = Language::ALL;
const ISSUER: &str = "https://id.example";
const LINK: &str = "https://id.example/sign-in?link=sn_ml_x&more=1";

fn example_message(
    email_kind: EmailKind<'_>,
    language: Language,
    kind: Option<LinkOrCodeKind>,
) -> OutgoingEmail {
    let proof = kind.map(|kind| EmailedLinkOrCode { kind, lifetime: Lifetime::from_minutes(10) });
    let settings = EmailBrandingAndTemplates::default();
    let origin = EmailOrigin { issuer: ISSUER, settings: &settings, organization: None };
    EmailMessage { kind: email_kind, origin, reader: language.into(), proof }
        .to_message(&"Ana@Exemplo.com".parse().unwrap())
}

fn example_link() -> Option<LinkOrCodeKind> {
    Some(LinkOrCodeKind::Link(LINK.to_owned()))
}

#[test]
fn email_has_one_recipient_and_equal_text_and_html() {
    let details = sample_sighting();
    for language in LANGUAGES {
        for email_kind in sample_kinds(&details) {
            let message = example_message(email_kind, language, example_link());
            assert_eq!(message.to, "Ana@exemplo.com");
            assert!(!message.subject.contains(['\r', '\n', '{', '}']) && !message.subject.is_empty());
            assert_eq!(message.text.matches(LINK).count(), 1, "{}", message.text);
            let escaped = LINK.replace('&', "&amp;");
            assert_eq!(message.html.matches(&escaped).count(), 2, "{}", message.html);
            for text in [&message.text, &message.html] {
                assert!(
                    !text.contains(['{', '}']) && text.contains("10 minuto") | text.contains("10 minute")
                );
                assert!(!message.subject.contains("sn_ml_"), "a subject can be seen by others");
            }
            let hidden = ["<script", "<img", "<link", "url(", "http://"];
            assert!(hidden.iter().all(|it| !message.html.contains(it)), "{}", message.html);
        }
    }
}

#[test]
fn email_without_screens_carries_a_code_and_no_link() {
    let details = sample_sighting();
    for language in LANGUAGES {
        for email_kind in sample_kinds(&details) {
            let message =
                example_message(email_kind, language, Some(LinkOrCodeKind::Code("12345678".into())));
            assert_eq!(message.text.matches("12345678").count(), 1);
            assert_eq!(message.html.matches("12345678").count(), 1);
            assert!(!message.html.contains("<a "), "{}", message.html);
            assert!(!message.subject.contains("12345678"));
        }
    }
}

#[test]
fn email_with_link_and_code_carries_each_once_as_text() {
    for language in LANGUAGES {
        let kind = LinkOrCodeKind::Either { link: LINK.to_owned(), code: "12345678".to_owned() };
        let message = example_message(EmailKind::SignIn, language, Some(kind));
        assert_eq!((message.text.matches(LINK).count(), message.text.matches("12345678").count()), (1, 1));
        assert_eq!(message.html.matches("12345678").count(), 1);
        assert!(message.text.find(LINK) < message.text.find("12345678"), "the link comes first");
    }
}

#[test]
fn email_content_from_outside_never_becomes_markup_header_or_link() {
    let hostile = format!(
        "\"><script>x</script>\r\nBcc: bob@example.com\u{202e}https://evil.example {}",
        "x".repeat(500)
    );
    let details =
        SignInDetails { device: Some(hostile.clone()), location: Some(hostile.clone()), ..sample_sighting() };
    let abouts = [
        EmailKind::Invitation {
            organization: &hostile,
            inviter: Some(&hostile),
            roles: std::slice::from_ref(&hostile),
        },
        EmailKind::EmailChanged { address: &hostile },
        EmailKind::NewDevice(&details),
        EmailKind::DeviceAllowed { application: &hostile, request_details: &details },
        EmailKind::ApprovalRequested { application: &hostile, request_details: &details },
        EmailKind::RequestApproved { application: &hostile, request_details: &details },
        EmailKind::CredentialAdded(NotifiedCredential {
            kind: StoredCredentialKind::Passkey,
            name: &hostile,
        }),
    ];
    for email_kind in abouts {
        let message = example_message(email_kind, Language::English, example_link());
        assert!(!message.subject.contains(['\r', '\n']), "{}", message.subject);
        assert!(!message.html.contains("<script"), "{}", message.html);
        for text in [&message.subject, &message.text, &message.html] {
            assert!(!text.contains("\r\n") && !text.contains('\u{202e}'));
            assert!(!text.contains("https://evil.example") && text.len() < 5_000);
        }
    }
    // A name that looks like a placeholder is not replaced.
    let message = example_message(
        EmailKind::Invitation { organization: "{issuer}", inviter: None, roles: &[] },
        Language::English,
        example_link(),
    );
    assert!(message.subject.contains("{issuer}"));
}

#[test]
fn sign_in_alert_email_lists_device_location_address_and_time() {
    let details = sample_sighting();
    let message = example_message(EmailKind::NewDevice(&details), Language::Portuguese, None);
    for value in
        ["Firefox no Linux", "Recife, Brazil", "203.0.113.9", "14 de novembro de 2023 às 22:13 (UTC)"]
    {
        assert!(message.text.contains(value) && message.html.contains(value), "{value}");
    }
    let english = example_message(EmailKind::NewDevice(&details), Language::English, None);
    assert!(english.text.contains("Firefox on Linux") && !message.text.contains("Firefox on"));
    assert!(!message.html.contains("<a "), "without a screen there is nothing to open");
    let little = example_message(EmailKind::NewDevice(&SignInDetails::default()), Language::English, None);
    assert!(!little.text.contains("Device:") && !little.html.contains("<table"));
}

#[test]
fn email_phrases_use_only_arguments_that_their_message_has() {
    let details = sample_sighting();
    for language in LANGUAGES {
        let phrases = &language.phrases().mail;
        for email_kind in sample_kinds(&details) {
            let template = email_kind.phrases(phrases);
            let mut known_arguments: Vec<_> =
                email_kind.external_values(phrases).into_iter().map(|(name, _)| name).collect();
            known_arguments.push("service");
            for text in [template.subject, template.lead, template.closing] {
                assert!(
                    text.argument_names().all(|name| known_arguments.contains(&name)),
                    "{language:?} {text:?}"
                );
            }
            known_arguments.push("time");
            for text in [template.link_lead, template.link_label, template.code_lead] {
                assert!(
                    text.argument_names().all(|name| known_arguments.contains(&name)),
                    "{language:?} {text:?}"
                );
            }
            for mail_text in [template.link_lead, template.code_lead] {
                assert!(mail_text.argument_names().any(|name| name == "time"), "{language:?} {mail_text:?}");
            }
        }
    }
}

#[test]
fn email_durations_use_the_largest_unit_without_rounding_up() {
    let format_duration = |language: Language, lifetime| format_lifetime(&language.phrases().mail, lifetime);
    for (lifetime, english, portuguese) in [
        (Lifetime::from_minutes(1), "1 minute", "1 minuto"),
        (Lifetime::from_minutes(90), "90 minutes", "90 minutos"),
        (Lifetime::from_hours(1), "1 hour", "1 hora"),
        (Lifetime::from_minutes(150), "2 hours", "2 horas"),
        (Lifetime::from_hours(24), "24 hours", "24 horas"),
        (Lifetime::from_days(7), "7 days", "7 dias"),
    ] {
        assert_eq!(format_duration(Language::English, lifetime), english);
        assert_eq!(format_duration(Language::Portuguese, lifetime), portuguese);
    }
}

#[test]
fn sms_code_is_one_short_line_naming_the_service() {
    for language in LANGUAGES {
        let message = build_code_sms("+5581999990000", "123456", ISSUER, language);
        assert_eq!(message.to, "+5581999990000");
        assert!(message.text.starts_with("123456 ") && message.text.contains("id.example"));
        assert!(message.text.chars().count() <= 160 && !message.text.contains("://"), "{}", message.text);
    }
}

#[test]
fn email_kind_names_are_those_of_the_samples() {
    let details = sample_sighting();
    assert_eq!(sample_kinds(&details).map(EmailKind::name), EmailKind::NAMES);
}

#[test]
fn invitation_email_names_the_inviter_if_there_is_one() {
    let invited = |inviter, language| {
        let kind = EmailKind::Invitation { organization: "Padaria", inviter, roles: &[] };
        example_message(kind, language, example_link())
    };
    let outgoing_email = invited(Some("Bruno Lima"), Language::English);
    assert_eq!(outgoing_email.subject, "Bruno Lima invited you to Padaria");
    assert!(
        outgoing_email.text.contains("Bruno Lima invited you to join Padaria at Sinete."),
        "{}",
        outgoing_email.text
    );
    let unnamed = invited(None, Language::English);
    assert_eq!(unnamed.subject, "You are invited to Padaria");
    assert!(!unnamed.text.contains("invited you"));
    assert_eq!(invited(Some("Bruno"), Language::Spanish).subject, "Bruno te ha invitado a Padaria");
}

#[test]
fn invitation_email_names_the_offered_roles() {
    let invited = |roles: &[String], language| {
        let kind = EmailKind::Invitation { organization: "Padaria", inviter: None, roles };
        example_message(kind, language, example_link()).text
    };
    let roles = ["owner".to_owned(), "Faturamento".to_owned()];
    let text = invited(&roles, Language::English);
    assert!(text.contains("Your role") && text.contains("owner, Faturamento"), "{text}");
    let text = invited(&roles, Language::Portuguese);
    assert!(text.contains("proprietário, Faturamento"), "{text}");
    assert!(!invited(&[], Language::English).contains("Your role"));
}

#[test]
fn email_shows_the_branding_and_never_a_url_as_a_name() {
    let branding = EmailBranding {
        name: "Padaria & Filhos".to_owned(),
        logo: Some("https://id.example/assets/brand/logo?v=1".to_owned()),
        accent: "#0a66c2".to_owned(),
        background: "#eef2ff".to_owned(),
    };
    let settings = EmailBrandingAndTemplates { branding, ..EmailBrandingAndTemplates::default() };
    let organization = EmailOrganization {
        slug: "loja".to_owned(),
        branding: EmailBranding { name: "Loja".to_owned(), ..EmailBranding::default() },
    };
    let message = |organization| {
        let origin = EmailOrigin { issuer: ISSUER, settings: &settings, organization };
        let proof = EmailedLinkOrCode {
            kind: LinkOrCodeKind::Link(LINK.into()),
            lifetime: Lifetime::from_minutes(10),
        };
        EmailMessage { kind: EmailKind::SignIn, origin, reader: Language::English.into(), proof: Some(proof) }
            .to_message(&"ana@example.com".parse().unwrap())
    };
    let outgoing_email = message(None);
    assert_eq!(outgoing_email.subject, "Sign in to Padaria & Filhos");
    for part in
        ["alt=\"Padaria &amp; Filhos\"", "background:#0a66c2", "background:#eef2ff", "/assets/brand/logo?v=1"]
    {
        assert!(outgoing_email.html.contains(part), "{part}: {}", outgoing_email.html);
    }
    assert!(
        outgoing_email.text.ends_with("-- \nPadaria & Filhos\nhttps://id.example\n"),
        "{}",
        outgoing_email.text
    );
    let theirs = message(Some(&organization));
    assert_eq!(theirs.subject, "Sign in to Loja");
    assert!(!theirs.html.contains("<img") && !theirs.html.contains("Padaria"), "{}", theirs.html);
}

#[test]
fn email_html_has_a_preheader_and_at_most_one_button() {
    let details = sample_sighting();
    for email_kind in sample_kinds(&details) {
        let message = example_message(email_kind, Language::English, example_link());
        assert_eq!(message.html.matches("<a ").count(), 1, "{}", message.html);
        let (_, hidden) = message.html.split_once("display:none;max-height:0;overflow:hidden\">").unwrap();
        assert!(!hidden.starts_with('<') && hidden.find("</div>").is_some_and(|end| end < 400), "{hidden}");
    }
}
