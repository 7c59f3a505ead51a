//! Properties of all messages.

use super::*;
use sinete_core::time::Timestamp;
use sinete_store::sign_in::credentials::StoredCredentialKind;

const LANGUAGES: [Language; 4] = Language::ALL;
const ISSUER: &str = "https://id.example";
const LINK: &str = "https://id.example/sign-in?link=sn_ml_x&more=1";

fn example_sighting() -> SignInSighting {
    SignInSighting {
        at: Some(Timestamp::from_seconds(1_700_000_000)),
        device: Some("Firefox on Linux".into()),
        place: Some("Recife, Brazil".into()),
        address: Some("203.0.113.9".into()),
    }
}

fn all_email_kinds(seen: &SignInSighting) -> [EmailKind<'_>; 23] {
    [
        EmailKind::Invitation { organization: "Padaria" },
        EmailKind::FirstOperator,
        EmailKind::SignIn,
        EmailKind::SignUp,
        EmailKind::AccountExists,
        EmailKind::VerifyEmail,
        EmailKind::ResetPassword,
        EmailKind::ChangeEmail,
        EmailKind::EmailChanged { address: "new@example.com" },
        EmailKind::NewDevice(seen),
        EmailKind::ImpossibleTravel(seen),
        EmailKind::DeviceAllowed { application: "Ledger TV", asked: seen },
        EmailKind::ApprovalAsked { application: "Ledger agent", asked: seen },
        EmailKind::RequestApproved { application: "Ledger agent", asked: seen },
        EmailKind::PasswordChanged,
        EmailKind::CredentialAdded(EmailedCredential {
            kind: StoredCredentialKind::Passkey,
            name: "Yubikey",
        }),
        EmailKind::CredentialRemoved(EmailedCredential { kind: StoredCredentialKind::Totp, name: "Yubikey" }),
        EmailKind::ContactAdded { address: "+5581999990000" },
        EmailKind::IdentityLinked("https://idp.example"),
        EmailKind::IdentityUnlinked("https://idp.example"),
        EmailKind::ResetStarted,
        EmailKind::WebhookPaused { address: "https://hooks.example/x" },
        EmailKind::RecoveryCodesUsedUp,
    ]
}

fn example_message(about: EmailKind<'_>, language: Language, given: Option<EmailProofKind>) -> OutgoingEmail {
    let proof = given.map(|given| EmailProof { kind: given, lifetime: Lifetime::from_minutes(10) });
    EmailMessage { kind: about, issuer: ISSUER, language, proof }
        .to_message(&"Ana@Exemplo.com".parse().unwrap())
}

fn example_link() -> Option<EmailProofKind> {
    Some(EmailProofKind::Link(LINK.to_owned()))
}

#[test]
fn email_has_one_recipient_and_equal_text_and_html() {
    let seen = example_sighting();
    for language in LANGUAGES {
        for about in all_email_kinds(&seen) {
            let message = example_message(about, language, example_link());
            assert_eq!(message.to, "Ana@exemplo.com");
            assert!(!message.subject.contains(['\r', '\n', '{', '}']) && !message.subject.is_empty());
            assert_eq!(message.text.matches(LINK).count(), 1, "{}", message.text);
            let escaped = LINK.replace('&', "&amp;");
            assert_eq!(message.html.matches(&escaped).count(), 2, "{}", message.html);
            for text in [&message.text, &message.html] {
                assert!(
                    !text.contains(['{', '}']) && text.contains("10 minuto") | text.contains("10 minute")
                );
                assert!(!message.subject.contains("sn_ml_"), "a subject is read by everybody");
            }
            let hidden = ["<script", "<img", "<link", "url(", "http://"];
            assert!(hidden.iter().all(|it| !message.html.contains(it)), "{}", message.html);
        }
    }
}

#[test]
fn email_without_screens_carries_a_code_and_no_link() {
    let seen = example_sighting();
    for language in LANGUAGES {
        for about in all_email_kinds(&seen) {
            let message = example_message(about, language, Some(EmailProofKind::Code("12345678".into())));
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
        let given = EmailProofKind::Either { link: LINK.to_owned(), code: "12345678".to_owned() };
        let message = example_message(EmailKind::SignIn, language, Some(given));
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
    let seen =
        SignInSighting { device: Some(hostile.clone()), place: Some(hostile.clone()), ..example_sighting() };
    let abouts = [
        EmailKind::Invitation { organization: &hostile },
        EmailKind::EmailChanged { address: &hostile },
        EmailKind::NewDevice(&seen),
        EmailKind::DeviceAllowed { application: &hostile, asked: &seen },
        EmailKind::ApprovalAsked { application: &hostile, asked: &seen },
        EmailKind::RequestApproved { application: &hostile, asked: &seen },
        EmailKind::CredentialAdded(EmailedCredential { kind: StoredCredentialKind::Passkey, name: &hostile }),
    ];
    for about in abouts {
        let message = example_message(about, Language::English, example_link());
        assert!(!message.subject.contains(['\r', '\n']), "{}", message.subject);
        assert!(!message.html.contains("<script"), "{}", message.html);
        for text in [&message.subject, &message.text, &message.html] {
            assert!(!text.contains("\r\n") && !text.contains('\u{202e}'));
            assert!(!text.contains("https://evil.example") && text.len() < 5_000);
        }
    }
    // A name that looks like a placeholder is not replaced.
    let message = example_message(
        EmailKind::Invitation { organization: "{issuer}" },
        Language::English,
        example_link(),
    );
    assert!(message.subject.contains("{issuer}"));
}

#[test]
fn sign_in_alert_email_lists_device_location_address_and_time() {
    let seen = example_sighting();
    let message = example_message(EmailKind::NewDevice(&seen), Language::Portuguese, None);
    for value in ["Firefox no Linux", "Recife, Brazil", "203.0.113.9", "2023-11-14"] {
        assert!(message.text.contains(value) && message.html.contains(value), "{value}");
    }
    let english = example_message(EmailKind::NewDevice(&seen), Language::English, None);
    assert!(english.text.contains("Firefox on Linux") && !message.text.contains("Firefox on"));
    assert!(!message.html.contains("<a "), "without a screen there is nothing to open");
    let little = example_message(EmailKind::NewDevice(&SignInSighting::default()), Language::English, None);
    assert!(!little.text.contains("Device:") && !little.html.contains("<table"));
}

#[test]
fn email_phrases_use_only_arguments_that_their_message_has() {
    let seen = example_sighting();
    for language in LANGUAGES {
        let words = &language.phrases().mail;
        for about in all_email_kinds(&seen) {
            let letter = about.phrases(words);
            let mut known: Vec<_> = about.external_values(words).into_iter().map(|(name, _)| name).collect();
            known.push("service");
            for text in [letter.subject, letter.lead, letter.closing] {
                assert!(text.argument_names().all(|name| known.contains(&name)), "{language:?} {text:?}");
            }
            known.push("time");
            for text in [letter.link_lead, letter.link_label, letter.code_lead] {
                assert!(text.argument_names().all(|name| known.contains(&name)), "{language:?} {text:?}");
            }
            for lead in [letter.link_lead, letter.code_lead] {
                assert!(lead.argument_names().any(|name| name == "time"), "{language:?} {lead:?}");
            }
        }
    }
}

#[test]
fn email_durations_use_the_largest_unit_without_rounding_up() {
    let told = |language: Language, lifetime| format_lifetime(&language.phrases().mail, lifetime);
    for (lifetime, english, portuguese) in [
        (Lifetime::from_minutes(1), "1 minute", "1 minuto"),
        (Lifetime::from_minutes(90), "90 minutes", "90 minutos"),
        (Lifetime::from_hours(1), "1 hour", "1 hora"),
        (Lifetime::from_minutes(150), "2 hours", "2 horas"),
        (Lifetime::from_hours(24), "24 hours", "24 horas"),
        (Lifetime::from_days(7), "7 days", "7 dias"),
    ] {
        assert_eq!(told(Language::English, lifetime), english);
        assert_eq!(told(Language::Portuguese, lifetime), portuguese);
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
