//! What every letter keeps to, whatever it is about.

use super::*;
use sinete_core::time::Timestamp;
use sinete_store::credentials::StoredCredentialKind;

const LANGUAGES: [Language; 2] = [Language::English, Language::Portuguese];
const ISSUER: &str = "https://id.example";
const LINK: &str = "https://id.example/sign-in?link=sn_ml_x&more=1";

fn seen() -> SignInSighting {
    SignInSighting {
        at: Some(Timestamp::from_seconds(1_700_000_000)),
        device: Some("Firefox on Linux".into()),
        place: Some("Recife, Brazil".into()),
        address: Some("203.0.113.9".into()),
    }
}

fn every(seen: &SignInSighting) -> [EmailKind<'_>; 23] {
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

fn letter(about: EmailKind<'_>, language: Language, given: Option<EmailProofKind>) -> OutgoingEmail {
    let proof = given.map(|given| EmailProof { given, lifetime: Lifetime::from_minutes(10) });
    EmailMessage { about, issuer: ISSUER, language, proof }.to(&"Ana@Exemplo.com".parse().unwrap())
}

fn link() -> Option<EmailProofKind> {
    Some(EmailProofKind::Link(LINK.to_owned()))
}

#[test]
fn every_letter_goes_to_one_address_and_says_the_same_as_text_and_as_a_page() {
    let seen = seen();
    for language in LANGUAGES {
        for about in every(&seen) {
            let message = letter(about, language, link());
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
fn where_there_is_no_screen_a_letter_carries_a_code_and_no_link() {
    let seen = seen();
    for language in LANGUAGES {
        for about in every(&seen) {
            let message = letter(about, language, Some(EmailProofKind::Code("12345678".into())));
            assert_eq!(message.text.matches("12345678").count(), 1);
            assert_eq!(message.html.matches("12345678").count(), 1);
            assert!(!message.html.contains("<a "), "{}", message.html);
            assert!(!message.subject.contains("12345678"));
        }
    }
}

#[test]
fn a_letter_with_a_link_and_a_code_carries_each_once_as_text() {
    for language in LANGUAGES {
        let given = EmailProofKind::Either { link: LINK.to_owned(), code: "12345678".to_owned() };
        let message = letter(EmailKind::SignIn, language, Some(given));
        assert_eq!((message.text.matches(LINK).count(), message.text.matches("12345678").count()), (1, 1));
        assert_eq!(message.html.matches("12345678").count(), 1);
        assert!(message.text.find(LINK) < message.text.find("12345678"), "the link comes first");
    }
}

#[test]
fn nothing_from_outside_becomes_markup_a_header_or_a_link() {
    let hostile = format!(
        "\"><script>x</script>\r\nBcc: bob@example.com\u{202e}https://evil.example {}",
        "x".repeat(500)
    );
    let seen = SignInSighting { device: Some(hostile.clone()), place: Some(hostile.clone()), ..seen() };
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
        let message = letter(about, Language::English, link());
        assert!(!message.subject.contains(['\r', '\n']), "{}", message.subject);
        assert!(!message.html.contains("<script"), "{}", message.html);
        for text in [&message.subject, &message.text, &message.html] {
            assert!(!text.contains("\r\n") && !text.contains('\u{202e}'));
            assert!(!text.contains("https://evil.example") && text.len() < 5_000);
        }
    }
    // A name that looks like a gap is a name.
    let message = letter(EmailKind::Invitation { organization: "{issuer}" }, Language::English, link());
    assert!(message.subject.contains("{issuer}"));
}

#[test]
fn what_was_seen_stands_in_an_alert_row_by_row() {
    let seen = seen();
    let message = letter(EmailKind::NewDevice(&seen), Language::Portuguese, None);
    for value in ["Firefox no Linux", "Recife, Brazil", "203.0.113.9", "2023-11-14"] {
        assert!(message.text.contains(value) && message.html.contains(value), "{value}");
    }
    let english = letter(EmailKind::NewDevice(&seen), Language::English, None);
    assert!(english.text.contains("Firefox on Linux") && !message.text.contains("Firefox on"));
    assert!(!message.html.contains("<a "), "without a screen there is nothing to open");
    let little = letter(EmailKind::NewDevice(&SignInSighting::default()), Language::English, None);
    assert!(!little.text.contains("Device:") && !little.html.contains("<table"));
}

#[test]
fn no_phrase_is_empty_none_was_left_untranslated_and_gaps_are_the_same() {
    let gaps = |phrase: &str| {
        let mut names: Vec<String> =
            phrase.split('{').skip(1).filter_map(|it| it.split('}').next()).map(str::to_owned).collect();
        names.sort();
        names
    };
    let [english, portuguese] = LANGUAGES.map(EmailPhrases::of);
    for (one, other) in english.letters().iter().zip(portuguese.letters()) {
        let phrases = |it: &EmailTemplatePhrases| {
            [it.subject, it.lead, it.link_lead, it.link_label, it.code_lead, it.closing]
        };
        for (one, other) in phrases(one).iter().zip(phrases(other)) {
            assert!(!one.is_empty() && !other.is_empty() && *one != other, "{one}");
            assert_eq!(gaps(one), gaps(other), "{one}");
        }
        for lead in [one.link_lead, one.code_lead, other.link_lead, other.code_lead] {
            assert!(gaps(lead).contains(&"time".to_owned()), "{lead}");
        }
    }
}

#[test]
fn times_are_told_in_the_largest_unit_that_does_not_promise_more() {
    let told = |language, lifetime| time(EmailPhrases::of(language), lifetime);
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
fn a_code_for_a_telephone_is_one_short_line_that_names_the_service() {
    for language in LANGUAGES {
        let message = code_to("+5581999990000", "123456", ISSUER, language);
        assert_eq!(message.to, "+5581999990000");
        assert!(message.text.starts_with("123456 ") && message.text.contains("id.example"));
        assert!(message.text.chars().count() <= 160 && !message.text.contains("://"), "{}", message.text);
    }
}
