//! Whether the person has to be asked, and what for. An agreement is whole: there are no boxes to tick.

use super::asked::{Agreement, Answers, Decided};
use super::response::{AuthorizationError, Wrong};
use super::wish::{Ask, Prompt};
use crate::authority::scope::Scopes;
use crate::id::SessionId;
use crate::token::claim::NamedClaims;
use serde::{Deserialize, Serialize};

/// Who says that a client is what it pretends to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vouching {
    /// An operator: it is theirs, or they verified it.
    Operator,
    /// The one organization whose it is.
    Organization,
    /// Nobody: it registered itself.
    Nobody,
}

/// Whether people are asked before a client gets something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsentMode {
    /// They are.
    #[default]
    Ask,
    /// They are not asked for scopes: whoever runs the client runs what it reaches. It counts only where somebody vouches.
    /// Details of one occasion and claims asked for by name are asked for in any case.
    Implied,
}

impl ConsentMode {
    /// Whether it is what it is when nobody says anything.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

/// An agreement that is remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// What was agreed to.
    pub scope: Scopes,
    /// The claims that were agreed to by their names.
    pub claims: NamedClaims,
    /// What it counts within, where nobody vouches for the client.
    pub within: Option<Within>,
}

/// What an agreement with a client that nobody vouches for is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Within {
    /// The session it was given in.
    pub session: SessionId,
    /// The host the answer goes to.
    pub redirect_host: String,
}

/// Everything the question of consent hangs on.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// What is asked for.
    pub question: &'a Agreement,
    /// Whether this client's people are asked.
    pub mode: ConsentMode,
    /// Who vouches for it.
    pub vouching: Vouching,
    /// Where the answer would count.
    pub here: &'a Within,
    /// What was agreed to before.
    pub remembered: Option<&'a Remembered>,
    /// What the client wants asked, or not.
    pub prompt: &'a Prompt,
}

/// What becomes of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consent {
    /// It was answered before, or need not be asked: nothing changes.
    Settled,
    /// It was answered just now: this is to be remembered.
    Given(Remembered),
    /// The person has to be asked. This is new to them; where nothing is, the details are.
    Needed {
        /// What was not agreed to before.
        new: New,
    },
}

/// What was not agreed to before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct New {
    /// The scopes.
    pub scopes: Scopes,
    /// The claims that are asked for by their names.
    pub claims: NamedClaims,
}

/// Whether there is consent.
pub fn settle(circumstances: &Circumstances<'_>, answers: &Answers) -> Result<Consent, Wrong> {
    let Circumstances { question, mode, vouching, here, remembered, prompt } = *circumstances;
    let counts = remembered.filter(|remembered| match (&remembered.within, vouching) {
        (None, Vouching::Operator | Vouching::Organization) => true,
        // An agreement from before somebody vouched stays bound; one from after does not count once they no
        // longer do.
        (Some(within), _) => within == here,
        (None, Vouching::Nobody) => false,
    });
    match &answers.consent {
        Some(Decided::Denied) => {
            return Err((AuthorizationError::AccessDenied, "the person did not agree"));
        }
        Some(Decided::Agreed(agreement)) if agreement == question => {
            return Ok(Consent::Given(together(question, counts, vouching, here)));
        }
        Some(Decided::Agreed(_)) | None => {}
    }
    let is_implied = mode == ConsentMode::Implied && vouching != Vouching::Nobody;
    let known = counts.map(|remembered| remembered.scope.clone()).unwrap_or_default();
    let known_claims = counts.map(|remembered| remembered.claims.clone()).unwrap_or_default();
    let new = New {
        scopes: question.scopes.beyond(&known),
        claims: unknown(&question.claims, &known, &known_claims),
    };
    let has_scopes = is_implied || counts.is_some() && question.scopes.within(&known);
    // Details are about this one occasion, so agreeing to them is never remembered (RFC 9396 §7.1), and what a person is
    // asked for by the name of a claim follows from no registered scope: whoever implied the rest implied neither.
    let is_settled = has_scopes && new.claims.is_empty() && question.details.is_empty();
    if is_settled && !prompt.asks(Ask::Consent) {
        return Ok(Consent::Settled);
    }
    if *prompt == Prompt::Silent {
        return Err((AuthorizationError::ConsentRequired, "the person has to agree"));
    }
    Ok(Consent::Needed { new })
}

/// The claims that were agreed to neither by their names nor with a scope that releases them.
fn unknown(asked: &NamedClaims, known: &Scopes, known_claims: &NamedClaims) -> NamedClaims {
    let covered = asked.iter().filter(|claim| claim.is_released_by(known)).map(|claim| claim.name);
    asked.beyond(known_claims).beyond(&NamedClaims::known(covered))
}

/// What is remembered from now on: what was agreed to just now beside what was agreed to before.
fn together(
    question: &Agreement,
    before: Option<&Remembered>,
    vouching: Vouching,
    here: &Within,
) -> Remembered {
    let claims = before.map(|before| before.claims.clone()).unwrap_or_default();
    let before = before.map(|before| before.scope.clone()).unwrap_or_default();
    Remembered {
        scope: before.iter().chain(question.scopes.iter()).cloned().collect(),
        claims: claims.and(&question.claims),
        within: (vouching == Vouching::Nobody).then(|| here.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::OrganizationId;
    use proptest::prelude::*;

    fn question(scope: &str) -> Agreement {
        Agreement {
            organization: OrganizationId::from_bytes([1; 16]),
            audience: "https://api.example".parse().unwrap(),
            scopes: scope.parse().unwrap(),
            details: Default::default(),
            claims: NamedClaims::default(),
        }
    }

    fn here(session: u8, host: &str) -> Within {
        Within { session: SessionId::from_bytes([session; 16]), redirect_host: host.to_owned() }
    }

    fn remembered(scope: &str, within: Option<Within>) -> Remembered {
        Remembered { scope: scope.parse().unwrap(), claims: NamedClaims::default(), within }
    }

    /// What becomes of asking for `openid invoices:read` with an agreement that is remembered.
    fn asked(
        vouching: Vouching,
        remembered: Option<Remembered>,
        prompt: &Prompt,
    ) -> Result<Consent, AuthorizationError> {
        let (question, here) = (question("openid invoices:read"), here(1, "app.example"));
        let circumstances = Circumstances {
            question: &question,
            mode: ConsentMode::Ask,
            vouching,
            here: &here,
            remembered: remembered.as_ref(),
            prompt,
        };
        settle(&circumstances, &Answers::default()).map_err(|(error, _)| error)
    }

    fn needed(new: &str) -> Result<Consent, AuthorizationError> {
        Ok(Consent::Needed { new: New { scopes: new.parse().unwrap(), claims: NamedClaims::default() } })
    }

    #[test]
    fn what_was_agreed_to_is_not_asked_again_and_what_is_new_is_named() {
        let any = Prompt::AsNeeded;
        assert_eq!(asked(Vouching::Operator, None, &any), needed("openid invoices:read"));
        let before = remembered("openid invoices:*", None);
        assert_eq!(asked(Vouching::Operator, Some(before.clone()), &any), Ok(Consent::Settled));
        let less = remembered("openid", None);
        assert_eq!(asked(Vouching::Operator, Some(less), &any), needed("invoices:read"));
        let again = Prompt::AtLeast([Ask::Consent].into());
        assert_eq!(asked(Vouching::Operator, Some(before), &again), needed(""));
    }

    #[test]
    fn an_agreement_with_a_client_nobody_vouches_for_stays_where_it_was_given() {
        let any = Prompt::AsNeeded;
        let with = |within| Some(remembered("openid invoices:read", within));
        assert_eq!(asked(Vouching::Nobody, with(Some(here(1, "app.example"))), &any), Ok(Consent::Settled));
        for elsewhere in [None, Some(here(2, "app.example")), Some(here(1, "other.example"))] {
            assert_eq!(asked(Vouching::Nobody, with(elsewhere), &any), needed("openid invoices:read"));
        }
        assert_eq!(
            asked(Vouching::Operator, with(Some(here(2, "app.example"))), &any),
            needed("openid invoices:read")
        );
    }

    #[test]
    fn where_nobody_may_be_asked_the_client_is_told() {
        assert_eq!(
            asked(Vouching::Operator, None, &Prompt::Silent),
            Err(AuthorizationError::ConsentRequired)
        );
        let before = Some(remembered("openid invoices:read", None));
        assert_eq!(asked(Vouching::Operator, before, &Prompt::Silent), Ok(Consent::Settled));
    }

    #[test]
    fn consent_is_implied_only_where_somebody_vouches() {
        let (question, here, prompt) = (question("openid"), here(1, "app.example"), Prompt::AsNeeded);
        let implied = |vouching, prompt: &Prompt| {
            let circumstances = Circumstances {
                question: &question,
                mode: ConsentMode::Implied,
                vouching,
                here: &here,
                remembered: None,
                prompt,
            };
            settle(&circumstances, &Answers::default()).unwrap()
        };
        for vouching in [Vouching::Operator, Vouching::Organization] {
            assert_eq!(implied(vouching, &prompt), Consent::Settled);
            assert!(matches!(
                implied(vouching, &Prompt::AtLeast([Ask::Consent].into())),
                Consent::Needed { .. }
            ));
        }
        assert!(matches!(implied(Vouching::Nobody, &prompt), Consent::Needed { .. }));
    }

    #[test]
    fn implied_consent_covers_neither_details_nor_named_claims() {
        let (here, silent) = (here(1, "app.example"), Prompt::Silent);
        let settled = |question: &Agreement, named: &[&'static str], prompt: &Prompt| {
            let before = Remembered {
                claims: NamedClaims::known(named.iter().copied()),
                ..remembered("openid", None)
            };
            let circumstances = Circumstances {
                question,
                mode: ConsentMode::Implied,
                vouching: Vouching::Operator,
                here: &here,
                remembered: (!named.is_empty()).then_some(&before),
                prompt,
            };
            settle(&circumstances, &Answers::default()).map_err(|(error, _)| error)
        };
        let plain = question("openid invoices:read");
        let details = r#"[{"type":"payment"}]"#.parse().unwrap();
        let detailed = Agreement { details, ..plain.clone() };
        let named = Agreement { claims: NamedClaims::known(["birthdate"]), ..plain.clone() };
        for prompt in [&Prompt::AsNeeded, &silent] {
            assert_eq!(settled(&plain, &[], prompt), Ok(Consent::Settled));
            assert_eq!(settled(&named, &["birthdate"], prompt), Ok(Consent::Settled), "agreed to before");
        }
        for asked in [&detailed, &named] {
            assert!(matches!(settled(asked, &[], &Prompt::AsNeeded), Ok(Consent::Needed { .. })));
            assert_eq!(settled(asked, &[], &silent), Err(AuthorizationError::ConsentRequired));
        }
        assert_eq!(settled(&detailed, &["birthdate"], &silent), Err(AuthorizationError::ConsentRequired));
    }

    #[test]
    fn an_answer_counts_for_the_question_it_was_given_to_and_no_other() {
        let (question, here) = (question("openid invoices:read"), here(1, "app.example"));
        let before = remembered("openid email", None);
        let answered = |consent: Decided| {
            let circumstances = Circumstances {
                question: &question,
                mode: ConsentMode::Ask,
                vouching: Vouching::Operator,
                here: &here,
                remembered: Some(&before),
                prompt: &Prompt::AtLeast([Ask::Consent].into()),
            };
            settle(&circumstances, &Answers { consent: Some(consent), ..Answers::default() })
        };
        let given = Consent::Given(remembered("openid email invoices:read", None));
        assert_eq!(answered(Decided::Agreed(question.clone())), Ok(given));
        assert_eq!(answered(Decided::Denied).unwrap_err().0, AuthorizationError::AccessDenied);
        let narrower = Agreement { scopes: "openid".parse().unwrap(), ..question.clone() };
        let elsewhere = Agreement { organization: OrganizationId::from_bytes([2; 16]), ..question.clone() };
        let details = r#"[{"type":"payment"}]"#.parse().unwrap();
        let detailed = Agreement { details, ..question.clone() };
        let named = Agreement { claims: NamedClaims::known(["birthdate"]), ..question.clone() };
        for other in [narrower, elsewhere, detailed, named] {
            assert!(matches!(answered(Decided::Agreed(other)), Ok(Consent::Needed { .. })));
        }
    }

    #[test]
    fn a_claim_asked_for_by_name_is_agreed_to_by_name_or_with_its_scope_and_then_remembered() {
        let here = here(1, "app.example");
        let asked =
            |claims: &[&str], before: &str, named: &[&str], prompt: &Prompt, answer: Option<Decided>| {
                let mut question = question("openid");
                question.claims = NamedClaims::known(claims.iter().copied());
                let mut remembered = remembered(before, None);
                remembered.claims = NamedClaims::known(named.iter().copied());
                let circumstances = Circumstances {
                    question: &question,
                    mode: ConsentMode::Ask,
                    vouching: Vouching::Operator,
                    here: &here,
                    remembered: Some(&remembered),
                    prompt,
                };
                settle(&circumstances, &Answers { consent: answer, ..Answers::default() })
            };
        let any = Prompt::AsNeeded;
        let new = |settled| match settled {
            Ok(Consent::Needed { new }) => format!("{} {}", new.scopes, new.claims),
            other => panic!("{other:?}"),
        };
        assert_eq!(new(asked(&["email", "name"], "openid", &[], &any, None)), " email name");
        assert_eq!(new(asked(&["email", "name"], "openid", &["name"], &any, None)), " email");
        assert_eq!(asked(&["email"], "openid", &["email"], &any, None), Ok(Consent::Settled));
        assert_eq!(asked(&["email"], "openid email", &[], &any, None), Ok(Consent::Settled));
        let silent = asked(&["email"], "openid", &[], &Prompt::Silent, None);
        assert_eq!(silent.unwrap_err().0, AuthorizationError::ConsentRequired);
        let mut agreement = question("openid");
        agreement.claims = NamedClaims::known(["email"]);
        match asked(&["email"], "openid", &["name"], &any, Some(Decided::Agreed(agreement.clone()))) {
            Ok(Consent::Given(remembered)) => assert_eq!(remembered.claims.to_string(), "email name"),
            other => panic!("{other:?}"),
        }
        // What was agreed to without a claim is no answer to a question with it.
        agreement.claims = NamedClaims::default();
        let other = asked(&["email"], "openid", &[], &any, Some(Decided::Agreed(agreement)));
        assert!(matches!(other, Ok(Consent::Needed { .. })));
    }

    proptest! {
        #[test]
        fn nobody_gets_silently_what_was_never_agreed_to(
            known in prop::collection::btree_set("(openid|email|files:(read|write)|notes:read)", 0..4),
            wanted in prop::collection::btree_set("(openid|email|files:(read|write)|notes:read)", 1..4),
        ) {
            let text = |scopes: &std::collections::BTreeSet<String>| {
                scopes.iter().cloned().collect::<Vec<_>>().join(" ")
            };
            let (question, here) = (question(&text(&wanted)), here(1, "app.example"));
            let before = remembered(&text(&known), None);
            let circumstances = Circumstances {
                question: &question,
                mode: ConsentMode::Ask,
                vouching: Vouching::Operator,
                here: &here,
                remembered: Some(&before),
                prompt: &Prompt::AsNeeded,
            };
            let settled = settle(&circumstances, &Answers::default()).unwrap();
            let new: std::collections::BTreeSet<_> = wanted.difference(&known).cloned().collect();
            let expected = if new.is_empty() {
                Consent::Settled
            } else {
                Consent::Needed { new: New { scopes: text(&new).parse().unwrap(), claims: NamedClaims::default() } }
            };
            prop_assert_eq!(settled, expected);
        }
    }
}
