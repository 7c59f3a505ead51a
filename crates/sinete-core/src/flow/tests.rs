//! The whole graph: what every sequence of answers can and cannot reach.

mod at_provider;
mod devices;
mod mailed;
mod proving_more;
mod setting_up;
mod witness;

use super::answer::{Answer, Direction, Effect, Opener};
use super::credential::enrolling::{Enrolling, MadePasskey, SetUp};
use super::credential::password::PasswordHash;
use super::credential::single_sign_on::Admission;
use super::person::{Person, Way};
use super::purpose::{FlowKind, Purpose};
use super::stage::{Choice, Ending, Mailed, Stage, Texted};
use super::stored;
use super::{Carrier, Flow, Moved, OutOfTurn};
use crate::api::ApiIdentifier;
use crate::assurance::{Assurance, Evidence, Proof};
use crate::authorize::asked::{Agreement, Answers, Arrival, Asked, SignIn};
use crate::authorize::unvalidated::Unvalidated;
use crate::id::{AccountId, ContactId, FlowId, OrganizationId, SessionId};
use crate::people::phone::PhoneNumber;
use at_provider::at_provider;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;
use witness::Witness;

const FLOW: FlowId = FlowId::from_bytes([1; 16]);
const ANA: AccountId = AccountId::from_bytes([2; 16]);
const BIA: AccountId = AccountId::from_bytes([3; 16]);
const NEW: AccountId = AccountId::from_bytes([4; 16]);
const SESSION: SessionId = SessionId::from_bytes([5; 16]);
const HOUSE: OrganizationId = OrganizationId::from_bytes([6; 16]);

fn person(account: AccountId, ways: &[Way]) -> Person {
    Person { account, ways: ways.iter().copied().collect(), closed: BTreeSet::new() }
}

fn ana() -> Person {
    person(ANA, &[Way::Password])
}

fn careful_ana() -> Person {
    person(ANA, &[Way::Password, Way::Totp, Way::RecoveryCode])
}

fn mailed(account: Option<AccountId>, new_account: Option<AccountId>) -> Mailed {
    let password = new_account.map(|_| PasswordHash("$argon2id$".into()));
    Mailed {
        address: "ana@example.com".parse().unwrap(),
        account,
        new_account,
        password,
        passkey: None,
        name: None,
    }
}

fn texted(account: Option<AccountId>) -> Texted {
    Texted { number: number(), account, from: None }
}

fn number() -> PhoneNumber {
    "+5581999990000".parse().unwrap()
}

fn passkey() -> MadePasskey {
    MadePasskey {
        handle: vec![1],
        material: vec![2],
        counter: 0,
        name: "phone".into(),
        user_verified: true,
        device_bound: false,
    }
}

fn asked() -> Purpose {
    let parameters = Unvalidated::new([("client_id", "notes")]);
    let asked = Asked::new("notes".parse().unwrap(), &parameters, Arrival::Browser);
    Purpose::Authorize { asked: Box::new(asked), answers: Answers::default() }
}

fn begin(purpose: Purpose) -> Flow {
    Flow::begin(FLOW, purpose, Carrier::Token, Some((SESSION, ana())))
}

fn purposes() -> Vec<Purpose> {
    vec![
        asked(),
        Purpose::ConfirmDevice { offered: None, asked: None, answers: Answers::default() },
        devices::approval(),
        Purpose::SignIn,
        Purpose::SignUp,
        Purpose::StepUp { needs: Assurance::Two, base: Evidence::of(Proof::Password) },
        Purpose::StepUp { needs: Assurance::One, base: Evidence::default() },
        Purpose::VerifyEmail { contact: ContactId::from_bytes([7; 16]), mailed: mailed(Some(ANA), None) },
        Purpose::ChangeEmail { mailed: mailed(Some(ANA), None) },
        Purpose::VerifyPhone { contact: ContactId::from_bytes([17; 16]), texted: texted(Some(ANA)) },
        Purpose::ResetPassword,
        Purpose::Enroll { enrolling: Enrolling::Passkey },
        Purpose::AcceptInvitation { invitation: [8; 32], address: "ana@example.com".parse().unwrap() },
        Purpose::LinkIdentity { at: at_provider() },
        Purpose::FirstOperator { link: [9; 32] },
    ]
}

fn agreement() -> Agreement {
    Agreement {
        organization: HOUSE,
        audience: "https://api.example".parse::<ApiIdentifier>().unwrap(),
        scopes: "openid".parse().unwrap(),
        details: Default::default(),
        claims: Default::default(),
    }
}

fn walk(flow: Flow, answers: impl IntoIterator<Item = Answer>) -> Result<Moved, OutOfTurn> {
    let start = Moved { flow, effects: Vec::new() };
    answers.into_iter().try_fold(start, |moved, answer| moved.flow.step(answer))
}

fn proved(person: Person, proof: Proof) -> Answer {
    Answer::Proved { person, proof }
}

#[test]
fn a_password_signs_in_and_an_authenticator_application_is_asked_for() {
    let moved = walk(begin(Purpose::SignIn), [proved(ana(), Proof::Password)]).unwrap();
    let evidence = Evidence::of(Proof::Password);
    assert_eq!(moved.effects, [Effect::StartSession { account: ANA, evidence: evidence.clone() }]);
    assert_eq!(moved.flow.stage(), &Stage::Finished(Ending::SignedIn));
    let moved = walk(begin(Purpose::SignIn), [proved(careful_ana(), Proof::Password)]).unwrap();
    assert_eq!((moved.flow.stage(), &moved.effects[..]), (&Stage::SecondFactor, &[][..]));
    let moved = moved.flow.step(proved(careful_ana(), Proof::Totp)).unwrap();
    assert_eq!(moved.effects, [Effect::StartSession { account: ANA, evidence: evidence.and(Proof::Totp) }]);
}

#[test]
fn what_is_offered_is_what_is_taken_and_no_account_shows_in_it() {
    for purpose in purposes() {
        let flow = begin(purpose);
        let names: Vec<_> = flow.actions().iter().map(|action| action.name()).collect();
        let expected: &[&str] = match flow.kind() {
            FlowKind::Authorize | FlowKind::ConfirmDevice | FlowKind::ApproveRequest => &[],
            FlowKind::SignIn => &["password", "passkey", "email"],
            FlowKind::SignUp | FlowKind::AcceptInvitation | FlowKind::FirstOperator => &["details"],
            FlowKind::StepUp => &["password"],
            FlowKind::VerifyEmail | FlowKind::ChangeEmail | FlowKind::VerifyPhone => &["code", "resend"],
            FlowKind::ResetPassword => &["email"],
            FlowKind::Enroll => &["passkey_registration"],
            FlowKind::LinkIdentity => &["provider_answer"],
        };
        assert_eq!(names, expected, "{:?}", flow.kind());
    }
    let known = walk(begin(Purpose::SignIn), [Answer::Addressed(mailed(Some(ANA), None))]).unwrap().flow;
    let unknown = walk(begin(Purpose::SignIn), [Answer::Addressed(mailed(None, None))]).unwrap().flow;
    assert_eq!(known.actions(), unknown.actions());
    assert_eq!(known.stage().name(), unknown.stage().name());
}

fn any_person() -> impl Strategy<Value = Person> {
    let ways = prop::collection::btree_set(
        prop::sample::select(vec![
            Way::Password,
            Way::Passkey,
            Way::Totp,
            Way::RecoveryCode,
            Way::SmsCode,
            Way::SingleSignOn,
        ]),
        0..4,
    );
    let closed = prop::collection::btree_set(prop::sample::select(vec![Way::Totp, Way::Password]), 0..2);
    (prop::sample::select(vec![ANA, BIA]), ways, closed).prop_map(|(account, ways, closed)| Person {
        account,
        ways,
        closed,
    })
}

fn any_proof() -> impl Strategy<Value = Proof> {
    prop::sample::select(vec![
        Proof::Password,
        Proof::Passkey { user_verified: true, device_bound: true },
        Proof::Passkey { user_verified: false, device_bound: true },
        Proof::Totp,
        Proof::RecoveryCode,
        Proof::SmsCode,
        Proof::EmailCode,
        Proof::MagicLink,
        Proof::SingleSignOn { assurance: Assurance::Two, organization: OrganizationId::from_bytes([7; 16]) },
    ])
}

fn any_mailed() -> impl Strategy<Value = Mailed> {
    let account = prop::option::of(prop::sample::select(vec![ANA, BIA]));
    (account, prop::option::of(Just(NEW))).prop_map(|(account, new)| mailed(account, new))
}

fn any_opener() -> impl Strategy<Value = Opener> {
    prop::sample::select(vec![
        Opener::Walker,
        Opener::Reader(Carrier::Cookie),
        Opener::Reader(Carrier::Token),
    ])
}

fn any_answer() -> impl Strategy<Value = Answer> {
    let direction = prop_oneof![
        Just(Direction::SignIn),
        any_person().prop_map(|person| Direction::StepUp {
            needs: Assurance::Two,
            base: Evidence::of(Proof::Password),
            person,
        }),
        Just(Direction::Consent { agreement: agreement(), question: json!(null) }),
        Just(Direction::UserCode),
        Just(devices::refused()),
        Just(Direction::Resume),
    ];
    prop_oneof![
        4 => (any_person(), any_proof()).prop_map(|(person, proof)| Answer::Proved { person, proof }),
        2 => any_mailed().prop_map(Answer::Addressed),
        2 => any_mailed().prop_map(Answer::Drafted),
        2 => prop::option::of(prop::sample::select(vec![ANA, BIA]))
            .prop_map(|account| Answer::Called { number: number(), account }),
        1 => Just(Answer::Again),
        2 => prop::option::of(any_person()).prop_map(|person| Answer::CodeRight { person }),
        2 => (prop::option::of(any_person()), any_opener())
            .prop_map(|(person, opener)| Answer::LinkRight { person, opener }),
        1 => Just(Answer::Restart),
        1 => Just(Answer::PasswordChosen { hash: PasswordHash("h".into()), keep: Vec::new() }),
        2 => direction.prop_map(|direction| Answer::Directed(Box::new(direction))),
        1 => Just(Answer::Chose(HOUSE)),
        1 => any::<bool>().prop_map(Answer::Consented),
        1 => Just(devices::recognised()),
        1 => Just(Answer::Reconsidered),
        1 => prop::sample::select(vec![
            SetUp::Passkey(passkey()),
            SetUp::Totp { step: 1, name: String::new() },
            SetUp::RecoveryCodes,
        ])
        .prop_map(Answer::SetUp),
        3 => Just(Answer::SentToProvider(at_provider())),
        3 => (any_person(), any_proof()).prop_map(|(person, proof)| Answer::Vouched {
            person,
            proof,
            admission: Box::new(Admission::Known),
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_answers_reaches_more_than_was_proven(
        purpose in prop::sample::select(purposes()), answers in prop::collection::vec(any_answer(), 0..12),
    ) {
        let mut flow = begin(purpose.clone()).texting(true).providing(true);
        let mut witness = Witness::default();
        if let Purpose::StepUp { base, .. } = &purpose {
            witness.base = base.clone();
        }
        if let Purpose::VerifyPhone { texted, .. } = &purpose {
            witness.texted = Some(texted.account);
        }
        if let Purpose::VerifyEmail { mailed, .. } | Purpose::ChangeEmail { mailed } = &purpose {
            witness.mailed = Some(mailed.clone());
        }
        for answer in answers {
            let Ok(moved) = flow.clone().step(answer.clone()) else { continue };
            prop_assert!(!flow.is_finished(), "nothing follows an end");
            witness.hears(&answer, purpose.kind());
            for effect in &moved.effects {
                match effect {
                    Effect::StartSession { account, evidence } => {
                        prop_assert!(!evidence.is_empty());
                        prop_assert!(evidence.assurance() <= witness.evidence_of(*account).assurance());
                        prop_assert_ne!(purpose.kind(), FlowKind::ResetPassword);
                    }
                    Effect::RenewSession { evidence } => {
                        let account = moved.flow.account().unwrap();
                        prop_assert!(evidence.assurance() <= witness.evidence_of(account).assurance());
                        prop_assert!(witness.proven.iter().any(|(whose, _)| *whose == account));
                    }
                    Effect::SetPassword { account, .. } | Effect::EndSessions { account, .. } => {
                        prop_assert_eq!(purpose.kind(), FlowKind::ResetPassword);
                        prop_assert!(witness.mail_read.contains(&Some(*account)), "without the mailed proof");
                    }
                    Effect::ChangeEmail { account, .. } => {
                        prop_assert_eq!(purpose.kind(), FlowKind::ChangeEmail);
                        prop_assert!(witness.mail_read.contains(&Some(*account)));
                    }
                    Effect::VerifyContact { account, .. } => {
                        let read = [&witness.mail_read, &witness.text_read];
                        prop_assert!(read.iter().any(|read| read.contains(&Some(*account))));
                    }
                    Effect::CreateAccount { drafted, is_proven } => {
                        prop_assert_eq!(drafted.account, None, "an account that is there is not made again");
                        let is_read = witness.mail_read.contains(&None);
                        let is_invited = purpose.kind() == FlowKind::AcceptInvitation;
                        prop_assert!(!is_proven || is_read || is_invited);
                    }
                    Effect::AddCredential { account, enrolling, made } => {
                        prop_assert_eq!(purpose.kind(), FlowKind::Enroll);
                        prop_assert_eq!(*account, ANA, "for whoever is signed in");
                        prop_assert_eq!(enrolling.factor(), made.factor());
                        prop_assert_eq!(moved.effects.len(), 1, "and nothing is proven by it");
                    }
                    Effect::SendDigits(texted) | Effect::RepeatDigits(texted) => {
                        let is_first = matches!(texted.from.as_deref(), Some(Stage::SignIn));
                        prop_assert!(is_first || texted.account == flow.account(), "to nobody else's telephone");
                    }
                    Effect::Admit { account, .. } => {
                        let is_vouched_for = matches!(answer, Answer::Vouched { .. });
                        prop_assert!(is_vouched_for && matches!(flow.stage(), Stage::AtProvider(_)));
                        let is_linking = purpose.kind() == FlowKind::LinkIdentity;
                        prop_assert!(!is_linking || *account == ANA, "to the account of whoever is signed in");
                        prop_assert!(!is_linking || moved.effects.len() == 1, "and nothing is proven by it");
                    }
                    Effect::SendProof(_)
                    | Effect::RepeatProof(_)
                    | Effect::AcceptInvitation { .. }
                    | Effect::MakeOperator { .. } => {}
                }
            }
            flow = moved.flow;
        }
    }

    #[test]
    fn a_stored_flow_comes_back_and_another_flow_or_form_does_not(
        purpose in prop::sample::select(purposes()), answers in prop::collection::vec(any_answer(), 0..8),
    ) {
        let mut flow = begin(purpose);
        for answer in answers {
            if let Ok(moved) = flow.clone().step(answer) {
                flow = moved.flow;
            }
        }
        let text = serde_json::to_string(&flow).unwrap();
        let state = || serde_json::from_str::<serde_json::Value>(&text).unwrap();
        prop_assert_eq!(stored::read(FLOW, stored::FORM, state()), Ok(flow));
        let other = FlowId::from_bytes([99; 16]);
        prop_assert_eq!(stored::read(other, stored::FORM, state()), Err(stored::Unreadable::Damaged));
        prop_assert_eq!(stored::read(FLOW, stored::FORM + 1, state()), Err(stored::Unreadable::UnknownForm));
    }
}
