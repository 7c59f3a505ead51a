//! The contents of a consent request, and what a decision covers.

use super::*;
use crate::id::OrganizationId;
use proptest::prelude::*;

fn question(scope: &str) -> ConsentRequest {
    ConsentRequest {
        organization: OrganizationId::from_bytes([1; 16]),
        audience: "https://api.example".parse().unwrap(),
        scopes: scope.parse().unwrap(),
        details: Default::default(),
        claims: IndividualClaims::default(),
    }
}

fn here(session: u8, host: &str) -> ConsentBinding {
    ConsentBinding { session: SessionId::from_bytes([session; 16]), redirect_host: host.to_owned() }
}

fn remembered(scope: &str, within: Option<ConsentBinding>) -> RememberedConsent {
    RememberedConsent { scope: scope.parse().unwrap(), claims: IndividualClaims::default(), binding: within }
}

/// Decides consent for `openid invoices:read`, given a remembered consent.
fn asked(
    client_trust: ClientTrust,
    remembered: Option<RememberedConsent>,
    prompt: &PromptParameter,
) -> Result<ConsentOutcome, AuthorizationErrorCode> {
    let (question, consent_binding) = (question("openid invoices:read"), here(1, "app.example"));
    let circumstances = ConsentContext {
        request: &question,
        mode: ClientConsentMode::Ask,
        client_trust,
        current_binding: &consent_binding,
        remembered: remembered.as_ref(),
        prompt,
        requires_consent_each_time: false,
    };
    decide_consent(&circumstances, &InteractionAnswers::default()).map_err(|(error, _)| error)
}

fn needed(new: &str) -> Result<ConsentOutcome, AuthorizationErrorCode> {
    Ok(ConsentOutcome::Required {
        new: NewConsentItems { scopes: new.parse().unwrap(), claims: IndividualClaims::default() },
    })
}

#[test]
fn consent_is_required_only_for_scopes_without_consent() {
    let any = PromptParameter::AsNeeded;
    assert_eq!(asked(ClientTrust::Operator, None, &any), needed("openid invoices:read"));
    let before = remembered("openid invoices:*", None);
    assert_eq!(asked(ClientTrust::Operator, Some(before.clone()), &any), Ok(ConsentOutcome::Satisfied));
    let less = remembered("openid", None);
    assert_eq!(asked(ClientTrust::Operator, Some(less), &any), needed("invoices:read"));
    let consent_prompt = PromptParameter::AtLeast([PromptValue::Consent].into());
    assert_eq!(asked(ClientTrust::Operator, Some(before), &consent_prompt), needed(""));
}

#[test]
fn consent_for_an_untrusted_client_is_remembered_only_for_its_organization_and_host() {
    let any = PromptParameter::AsNeeded;
    let with = |within| Some(remembered("openid invoices:read", within));
    assert_eq!(
        asked(ClientTrust::SelfRegistered, with(Some(here(1, "app.example"))), &any),
        Ok(ConsentOutcome::Satisfied)
    );
    for elsewhere in [None, Some(here(2, "app.example")), Some(here(1, "other.example"))] {
        assert_eq!(asked(ClientTrust::SelfRegistered, with(elsewhere), &any), needed("openid invoices:read"));
    }
    assert_eq!(
        asked(ClientTrust::Operator, with(Some(here(2, "app.example"))), &any),
        needed("openid invoices:read")
    );
}

#[test]
fn consent_with_prompt_none_is_consent_required() {
    assert_eq!(
        asked(ClientTrust::Operator, None, &PromptParameter::Silent),
        Err(AuthorizationErrorCode::ConsentRequired)
    );
    let before = Some(remembered("openid invoices:read", None));
    assert_eq!(asked(ClientTrust::Operator, before, &PromptParameter::Silent), Ok(ConsentOutcome::Satisfied));
}

#[test]
fn consent_is_implied_only_for_trusted_clients() {
    let (question, consent_binding, prompt) =
        (question("openid"), here(1, "app.example"), PromptParameter::AsNeeded);
    let implied = |client_trust, prompt: &PromptParameter| {
        let circumstances = ConsentContext {
            request: &question,
            mode: ClientConsentMode::Implied,
            client_trust,
            current_binding: &consent_binding,
            remembered: None,
            prompt,
            requires_consent_each_time: false,
        };
        decide_consent(&circumstances, &InteractionAnswers::default()).unwrap()
    };
    for client_trust in [ClientTrust::Operator, ClientTrust::Organization] {
        assert_eq!(implied(client_trust, &prompt), ConsentOutcome::Satisfied);
        assert!(matches!(
            implied(client_trust, &PromptParameter::AtLeast([PromptValue::Consent].into())),
            ConsentOutcome::Required { .. }
        ));
    }
    assert!(matches!(implied(ClientTrust::SelfRegistered, &prompt), ConsentOutcome::Required { .. }));
}

#[test]
fn implied_consent_covers_neither_authorization_details_nor_claims_by_name() {
    let (consent_binding, silent) = (here(1, "app.example"), PromptParameter::Silent);
    let decide = |question: &ConsentRequest, remembered_claims: &[&'static str], prompt: &PromptParameter| {
        let before = RememberedConsent {
            claims: IndividualClaims::from_names(remembered_claims.iter().copied()),
            ..remembered("openid", None)
        };
        let circumstances = ConsentContext {
            request: question,
            mode: ClientConsentMode::Implied,
            client_trust: ClientTrust::Operator,
            current_binding: &consent_binding,
            remembered: (!remembered_claims.is_empty()).then_some(&before),
            prompt,
            requires_consent_each_time: false,
        };
        decide_consent(&circumstances, &InteractionAnswers::default()).map_err(|(error, _)| error)
    };
    let plain = question("openid invoices:read");
    let details = r#"[{"type":"payment"}]"#.parse().unwrap();
    let detailed = ConsentRequest { details, ..plain.clone() };
    let request = ConsentRequest { claims: IndividualClaims::from_names(["birthdate"]), ..plain.clone() };
    for prompt in [&PromptParameter::AsNeeded, &silent] {
        assert_eq!(decide(&plain, &[], prompt), Ok(ConsentOutcome::Satisfied));
        assert_eq!(
            decide(&request, &["birthdate"], prompt),
            Ok(ConsentOutcome::Satisfied),
            "agreed to before"
        );
    }
    for consent_request in [&detailed, &request] {
        assert!(matches!(
            decide(consent_request, &[], &PromptParameter::AsNeeded),
            Ok(ConsentOutcome::Required { .. })
        ));
        assert_eq!(decide(consent_request, &[], &silent), Err(AuthorizationErrorCode::ConsentRequired));
    }
    assert_eq!(decide(&detailed, &["birthdate"], &silent), Err(AuthorizationErrorCode::ConsentRequired));
}

#[test]
fn consent_answer_is_valid_only_for_the_request_it_was_given_for() {
    let (question, consent_binding) = (question("openid invoices:read"), here(1, "app.example"));
    let before = remembered("openid email", None);
    let decide = |consent: ConsentDecision| {
        let circumstances = ConsentContext {
            request: &question,
            mode: ClientConsentMode::Ask,
            client_trust: ClientTrust::Operator,
            current_binding: &consent_binding,
            remembered: Some(&before),
            prompt: &PromptParameter::AtLeast([PromptValue::Consent].into()),
            requires_consent_each_time: false,
        };
        decide_consent(
            &circumstances,
            &InteractionAnswers { consent: Some(consent), ..InteractionAnswers::default() },
        )
    };
    let outcome = ConsentOutcome::Granted(remembered("openid email invoices:read", None));
    assert_eq!(decide(ConsentDecision::Agreed(question.clone())), Ok(outcome));
    assert_eq!(decide(ConsentDecision::Denied).unwrap_err().0, AuthorizationErrorCode::AccessDenied);
    let narrower = ConsentRequest { scopes: "openid".parse().unwrap(), ..question.clone() };
    let elsewhere = ConsentRequest { organization: OrganizationId::from_bytes([2; 16]), ..question.clone() };
    let details = r#"[{"type":"payment"}]"#.parse().unwrap();
    let detailed = ConsentRequest { details, ..question.clone() };
    let request = ConsentRequest { claims: IndividualClaims::from_names(["birthdate"]), ..question.clone() };
    for other in [narrower, elsewhere, detailed, request] {
        assert!(matches!(decide(ConsentDecision::Agreed(other)), Ok(ConsentOutcome::Required { .. })));
    }
}

#[test]
fn claims_requested_by_name_need_consent_by_name_or_scope_and_are_remembered() {
    let consent_binding = here(1, "app.example");
    let decide = |claims: &[&str],
                  before: &str,
                  remembered_claims: &[&str],
                  prompt: &PromptParameter,
                  answer: Option<ConsentDecision>| {
        let mut question = question("openid");
        question.claims = IndividualClaims::from_names(claims.iter().copied());
        let mut remembered = remembered(before, None);
        remembered.claims = IndividualClaims::from_names(remembered_claims.iter().copied());
        let circumstances = ConsentContext {
            request: &question,
            mode: ClientConsentMode::Ask,
            client_trust: ClientTrust::Operator,
            current_binding: &consent_binding,
            remembered: Some(&remembered),
            prompt,
            requires_consent_each_time: false,
        };
        decide_consent(
            &circumstances,
            &InteractionAnswers { consent: answer, ..InteractionAnswers::default() },
        )
    };
    let any = PromptParameter::AsNeeded;
    let new = |result| match result {
        Ok(ConsentOutcome::Required { new }) => format!("{} {}", new.scopes, new.claims),
        other => panic!("{other:?}"),
    };
    assert_eq!(new(decide(&["email", "name"], "openid", &[], &any, None)), " email name");
    assert_eq!(new(decide(&["email", "name"], "openid", &["name"], &any, None)), " email");
    assert_eq!(decide(&["email"], "openid", &["email"], &any, None), Ok(ConsentOutcome::Satisfied));
    assert_eq!(decide(&["email"], "openid email", &[], &any, None), Ok(ConsentOutcome::Satisfied));
    let silent = decide(&["email"], "openid", &[], &PromptParameter::Silent, None);
    assert_eq!(silent.unwrap_err().0, AuthorizationErrorCode::ConsentRequired);
    let mut agreement = question("openid");
    agreement.claims = IndividualClaims::from_names(["email"]);
    match decide(&["email"], "openid", &["name"], &any, Some(ConsentDecision::Agreed(agreement.clone()))) {
        Ok(ConsentOutcome::Granted(remembered)) => assert_eq!(remembered.claims.to_string(), "email name"),
        other => panic!("{other:?}"),
    }
    // A decision made without a claim does not answer a request that includes it.
    agreement.claims = IndividualClaims::default();
    let other = decide(&["email"], "openid", &[], &any, Some(ConsentDecision::Agreed(agreement)));
    assert!(matches!(other, Ok(ConsentOutcome::Required { .. })));
}

proptest! {
    #[test]
    fn consent_is_never_implied_for_a_scope_without_consent(
        known in prop::collection::btree_set("(openid|email|files:(read|write)|notes:read)", 0..4),
        wanted in prop::collection::btree_set("(openid|email|files:(read|write)|notes:read)", 1..4),
    ) {
        let text = |scopes: &std::collections::BTreeSet<String>| {
            scopes.iter().cloned().collect::<Vec<_>>().join(" ")
        };
        let (question, here) = (question(&text(&wanted)), here(1, "app.example"));
        let before = remembered(&text(&known), None);
        let circumstances = ConsentContext {
            request: &question,
            mode: ClientConsentMode::Ask,
            client_trust: ClientTrust::Operator,
            current_binding: &here,
            remembered: Some(&before),
            prompt: &PromptParameter::AsNeeded,
            requires_consent_each_time: false,
        };
        let settled = decide_consent(&circumstances, &InteractionAnswers::default()).unwrap();
        let new: std::collections::BTreeSet<_> = wanted.difference(&known).cloned().collect();
        let expected = if new.is_empty() {
            ConsentOutcome::Satisfied
        } else {
            ConsentOutcome::Required { new: NewConsentItems { scopes: text(&new).parse().unwrap(), claims: IndividualClaims::default() } }
        };
        prop_assert_eq!(settled, expected);
    }
}

#[test]
fn consent_for_an_unowned_scheme_is_required_each_time_and_valid_once() {
    let (question, consent_binding) = (question("openid invoices:read"), here(1, "cursor://host"));
    let before = remembered("openid invoices:read", None);
    let decide = |mode, prompt: &PromptParameter, answers: &InteractionAnswers| {
        let circumstances = ConsentContext {
            request: &question,
            mode,
            client_trust: ClientTrust::Operator,
            current_binding: &consent_binding,
            remembered: Some(&before),
            prompt,
            requires_consent_each_time: true,
        };
        decide_consent(&circumstances, answers).map_err(|(error, _)| error)
    };
    let unanswered = InteractionAnswers::default();
    for mode in [ClientConsentMode::Ask, ClientConsentMode::Implied] {
        assert_eq!(decide(mode, &PromptParameter::AsNeeded, &unanswered), needed(""));
        let silent = decide(mode, &PromptParameter::Silent, &unanswered);
        assert_eq!(silent, Err(AuthorizationErrorCode::ConsentRequired));
        let interaction_answers = InteractionAnswers {
            consent: Some(ConsentDecision::Agreed(question.clone())),
            ..InteractionAnswers::default()
        };
        assert!(matches!(
            decide(mode, &PromptParameter::AsNeeded, &interaction_answers),
            Ok(ConsentOutcome::Granted(_))
        ));
    }
}

#[test]
fn consent_to_identity_scopes_is_not_required_with_ask_for_permissions() {
    let (consent_binding, silent) = (here(1, "app.example"), PromptParameter::Silent);
    let decided = |scope: &str, client_trust, prompt: &PromptParameter| {
        decide_consent(
            &ConsentContext {
                request: &question(scope),
                mode: ClientConsentMode::AskForPermissions,
                client_trust,
                current_binding: &consent_binding,
                remembered: None,
                prompt,
                requires_consent_each_time: false,
            },
            &InteractionAnswers::default(),
        )
    };
    for trusted in [ClientTrust::Operator, ClientTrust::Organization] {
        for prompt in [&PromptParameter::AsNeeded, &silent] {
            assert_eq!(decided("openid profile email", trusted, prompt), Ok(ConsentOutcome::Satisfied));
        }
        for scopes in ["openid offline_access", "openid invoices:read"] {
            let result = decided(scopes, trusted, &PromptParameter::AsNeeded);
            assert!(matches!(result, Ok(ConsentOutcome::Required { .. })), "{scopes}");
            assert!(decided(scopes, trusted, &silent).is_err(), "{scopes}");
        }
    }
    let untrusted = decided("openid", ClientTrust::SelfRegistered, &PromptParameter::AsNeeded);
    assert!(matches!(untrusted, Ok(ConsentOutcome::Required { .. })));
    let always = PromptParameter::AtLeast([PromptValue::Consent].into());
    assert!(matches!(decided("openid", ClientTrust::Operator, &always), Ok(ConsentOutcome::Required { .. })));
}
