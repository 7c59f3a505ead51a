//! The whole state graph: what every sequence of inputs can and cannot reach.

mod device_authorization;
mod email_challenge;
mod enrollment;
mod evidence;
mod identity_provider;
mod sign_up;
mod step_up;

use super::account::FlowAccount;
use super::purpose::{FlowKind, FlowPurpose};
use super::stage::{EmailChallenge, FlowOutcome, FlowStage, OrganizationChoice, SmsChallenge};
use super::storage_format;
use super::verified_input::{FlowEffect, MagicLinkOpener, NextAuthorizationStep, VerifiedFlowInput};
use super::{AuthenticationFlow, FlowActionUnavailable, FlowTokenTransport, FlowTransition};
use crate::accounts::phone_number::PhoneNumber;
use crate::assurance::proof_method::AuthenticationProofMethod;
use crate::assurance::{AssuranceLevel, AuthenticationEvidence, AuthenticationProof};
use crate::id::{AccountId, ContactId, FlowId, OrganizationId, SessionId};
use crate::identity_providers::identity_resolution::IdentityResolution;
use crate::oauth::authorize::pending_authorization::{
    AuthorizationChannel, ConsentRequest, InteractionAnswers, PendingAuthorization, SignInRelativeToRequest,
};
use crate::oauth::authorize::raw_params::RawAuthorizationParams;
use crate::organizations::api_catalog::ApiIdentifier;
use crate::sign_in::credentials::enrollment::{
    CompletedEnrollment, EnrollableFactor, PendingEnrollment, RegisteredPasskey,
};
use crate::sign_in::credentials::password::PasswordHash;
use evidence::EvidenceOracle;
use identity_provider::at_provider;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;

const FLOW: FlowId = FlowId::from_bytes([1; 16]);
const ANA: AccountId = AccountId::from_bytes([2; 16]);
const BIA: AccountId = AccountId::from_bytes([3; 16]);
const NEW: AccountId = AccountId::from_bytes([4; 16]);
const SESSION: SessionId = SessionId::from_bytes([5; 16]);
const HOUSE: OrganizationId = OrganizationId::from_bytes([6; 16]);

fn person(account: AccountId, proof_methods: &[AuthenticationProofMethod]) -> FlowAccount {
    FlowAccount { account, ways: proof_methods.iter().copied().collect(), closed: BTreeSet::new() }
}

fn ana() -> FlowAccount {
    person(ANA, &[AuthenticationProofMethod::Password])
}

fn careful_ana() -> FlowAccount {
    person(
        ANA,
        &[
            AuthenticationProofMethod::Password,
            AuthenticationProofMethod::Totp,
            AuthenticationProofMethod::RecoveryCode,
        ],
    )
}

fn mailed(account: Option<AccountId>, new_account: Option<AccountId>) -> EmailChallenge {
    let password = new_account.map(|_| PasswordHash("$argon2id$".into()));
    EmailChallenge {
        address: "ana@example.com".parse().unwrap(),
        account,
        new_account,
        password,
        passkey: None,
        name: None,
    }
}

fn texted(account: Option<AccountId>) -> SmsChallenge {
    SmsChallenge { number: number(), account, from: None }
}

fn number() -> PhoneNumber {
    "+5581999990000".parse().unwrap()
}

fn passkey() -> RegisteredPasskey {
    RegisteredPasskey {
        handle: vec![1],
        material: vec![2],
        counter: 0,
        name: "phone".into(),
        user_verified: true,
        device_bound: false,
    }
}

fn asked() -> FlowPurpose {
    let parameters = RawAuthorizationParams::new([("client_id", "notes")]);
    let pending =
        PendingAuthorization::new("notes".parse().unwrap(), &parameters, AuthorizationChannel::Browser);
    let (pending_authorization, answers) = (Box::new(pending), InteractionAnswers::default());
    FlowPurpose::Authorize { pending_authorization, answers }
}

fn begin(purpose: FlowPurpose) -> AuthenticationFlow {
    AuthenticationFlow::start(FLOW, purpose, FlowTokenTransport::Token, Some((SESSION, ana())))
}

fn purposes() -> Vec<FlowPurpose> {
    vec![
        asked(),
        FlowPurpose::ConfirmDevice {
            user_code: None,
            pending_authorization: None,
            answers: InteractionAnswers::default(),
        },
        device_authorization::approval(),
        FlowPurpose::SignIn,
        FlowPurpose::SignUp,
        FlowPurpose::StepUp {
            needs: AssuranceLevel::Two,
            base: AuthenticationEvidence::from_proof(AuthenticationProof::Password),
        },
        FlowPurpose::StepUp { needs: AssuranceLevel::One, base: AuthenticationEvidence::default() },
        FlowPurpose::VerifyEmail { contact: ContactId::from_bytes([7; 16]), mailed: mailed(Some(ANA), None) },
        FlowPurpose::ChangeEmail { mailed: mailed(Some(ANA), None) },
        FlowPurpose::VerifyPhone { contact: ContactId::from_bytes([17; 16]), texted: texted(Some(ANA)) },
        FlowPurpose::ResetPassword,
        FlowPurpose::Enroll { enrolling: PendingEnrollment::Passkey },
        FlowPurpose::AcceptInvitation { invitation: [8; 32], address: "ana@example.com".parse().unwrap() },
        FlowPurpose::LinkIdentity { at: at_provider() },
        FlowPurpose::FirstOperator { link: [9; 32] },
    ]
}

fn agreement() -> ConsentRequest {
    ConsentRequest {
        organization: HOUSE,
        audience: "https://api.example".parse::<ApiIdentifier>().unwrap(),
        scopes: "openid".parse().unwrap(),
        details: Default::default(),
        claims: Default::default(),
    }
}

fn walk(
    flow: AuthenticationFlow,
    answers: impl IntoIterator<Item = VerifiedFlowInput>,
) -> Result<FlowTransition, FlowActionUnavailable> {
    let start = FlowTransition { flow, effects: Vec::new() };
    answers.into_iter().try_fold(start, |moved, answer| moved.flow.apply_input(answer))
}

fn proved(account: FlowAccount, proof: AuthenticationProof) -> VerifiedFlowInput {
    VerifiedFlowInput::Authenticated { person: account, proof }
}

#[test]
fn password_sign_in_requires_totp_when_enrolled() {
    let moved = walk(begin(FlowPurpose::SignIn), [proved(ana(), AuthenticationProof::Password)]).unwrap();
    let evidence = AuthenticationEvidence::from_proof(AuthenticationProof::Password);
    assert_eq!(moved.effects, [FlowEffect::StartSession { account: ANA, evidence: evidence.clone() }]);
    assert_eq!(moved.flow.stage(), &FlowStage::Finished(FlowOutcome::SignedIn));
    let moved =
        walk(begin(FlowPurpose::SignIn), [proved(careful_ana(), AuthenticationProof::Password)]).unwrap();
    assert_eq!((moved.flow.stage(), &moved.effects[..]), (&FlowStage::SecondFactor, &[][..]));
    let moved = moved.flow.apply_input(proved(careful_ana(), AuthenticationProof::Totp)).unwrap();
    assert_eq!(
        moved.effects,
        [FlowEffect::StartSession { account: ANA, evidence: evidence.with_proof(AuthenticationProof::Totp) }]
    );
}

#[test]
fn flow_actions_match_accepted_input_and_reveal_no_account() {
    for purpose in purposes() {
        let flow = begin(purpose);
        let names: Vec<_> = flow.available_actions().iter().map(|action| action.name()).collect();
        let expected: &[&str] = match flow.kind() {
            FlowKind::Authorize | FlowKind::ConfirmDevice | FlowKind::ApproveRequest => &[],
            FlowKind::SignIn => &["passkey", "password", "email"],
            FlowKind::SignUp | FlowKind::AcceptInvitation | FlowKind::FirstOperator => &["details"],
            FlowKind::StepUp => &["password"],
            FlowKind::VerifyEmail | FlowKind::ChangeEmail | FlowKind::VerifyPhone => &["code", "resend"],
            FlowKind::ResetPassword => &["email"],
            FlowKind::Enroll => &["passkey_registration"],
            FlowKind::LinkIdentity => &["provider_answer"],
        };
        assert_eq!(names, expected, "{:?}", flow.kind());
    }
    let authentication_flow = walk(
        begin(FlowPurpose::SignIn),
        [VerifiedFlowInput::EmailChallengeRequested(mailed(Some(ANA), None))],
    )
    .unwrap()
    .flow;
    let unknown =
        walk(begin(FlowPurpose::SignIn), [VerifiedFlowInput::EmailChallengeRequested(mailed(None, None))])
            .unwrap()
            .flow;
    assert_eq!(authentication_flow.available_actions(), unknown.available_actions());
    assert_eq!(authentication_flow.stage().name(), unknown.stage().name());
}

fn any_person() -> impl Strategy<Value = FlowAccount> {
    let set_strategy = prop::collection::btree_set(
        prop::sample::select(vec![
            AuthenticationProofMethod::Password,
            AuthenticationProofMethod::Passkey,
            AuthenticationProofMethod::Totp,
            AuthenticationProofMethod::RecoveryCode,
            AuthenticationProofMethod::SmsCode,
            AuthenticationProofMethod::SingleSignOn,
        ]),
        0..4,
    );
    let closed = prop::collection::btree_set(
        prop::sample::select(vec![AuthenticationProofMethod::Totp, AuthenticationProofMethod::Password]),
        0..2,
    );
    (prop::sample::select(vec![ANA, BIA]), set_strategy, closed)
        .prop_map(|(account, proof_methods, closed)| FlowAccount { account, ways: proof_methods, closed })
}

fn any_proof() -> impl Strategy<Value = AuthenticationProof> {
    prop::sample::select(vec![
        AuthenticationProof::Password,
        AuthenticationProof::Passkey { user_verified: true, device_bound: true },
        AuthenticationProof::Passkey { user_verified: false, device_bound: true },
        AuthenticationProof::Totp,
        AuthenticationProof::RecoveryCode,
        AuthenticationProof::SmsCode,
        AuthenticationProof::EmailCode,
        AuthenticationProof::MagicLink,
        AuthenticationProof::SingleSignOn {
            assurance: AssuranceLevel::Two,
            organization: OrganizationId::from_bytes([7; 16]),
        },
    ])
}

fn any_mailed() -> impl Strategy<Value = EmailChallenge> {
    let account = prop::option::of(prop::sample::select(vec![ANA, BIA]));
    (account, prop::option::of(Just(NEW))).prop_map(|(account, new)| mailed(account, new))
}

fn any_opener() -> impl Strategy<Value = MagicLinkOpener> {
    prop::sample::select(vec![
        MagicLinkOpener::FlowHolder,
        MagicLinkOpener::LinkHolder(FlowTokenTransport::Cookie),
        MagicLinkOpener::LinkHolder(FlowTokenTransport::Token),
    ])
}

fn any_answer() -> impl Strategy<Value = VerifiedFlowInput> {
    let direction = prop_oneof![
        Just(NextAuthorizationStep::SignIn),
        Just(NextAuthorizationStep::SignUp),
        any_person().prop_map(|person| NextAuthorizationStep::Enroll {
            factors: vec![EnrollableFactor::Passkey],
            person,
        }),
        any_person().prop_map(|person| NextAuthorizationStep::StepUp {
            needs: AssuranceLevel::Two,
            base: AuthenticationEvidence::from_proof(AuthenticationProof::Password),
            person,
        }),
        Just(NextAuthorizationStep::Consent { consent_request: agreement(), prompt: json!(null) }),
        Just(NextAuthorizationStep::UserCode),
        Just(device_authorization::refused()),
        Just(NextAuthorizationStep::Resume),
    ];
    prop_oneof![
        4 => (any_person(), any_proof()).prop_map(|(person, proof)| VerifiedFlowInput::Authenticated { person, proof }),
        2 => any_mailed().prop_map(VerifiedFlowInput::EmailChallengeRequested),
        2 => any_mailed().prop_map(VerifiedFlowInput::DetailsEntered),
        2 => prop::option::of(prop::sample::select(vec![ANA, BIA]))
            .prop_map(|account| VerifiedFlowInput::SmsCodeRequested { number: number(), account }),
        1 => Just(VerifiedFlowInput::SignUp),
        1 => Just(VerifiedFlowInput::FactorChosen(PendingEnrollment::Passkey)),
        1 => Just(VerifiedFlowInput::ResendRequested),
        2 => prop::option::of(any_person()).prop_map(|person| VerifiedFlowInput::CodeVerified { person }),
        2 => (prop::option::of(any_person()), any_opener())
            .prop_map(|(person, opener)| VerifiedFlowInput::MagicLinkVerified { person, opener }),
        1 => Just(VerifiedFlowInput::Restart),
        1 => Just(VerifiedFlowInput::PasswordChosen { hash: PasswordHash("h".into()), keep: Vec::new() }),
        2 => direction.prop_map(|direction| VerifiedFlowInput::NextStepDecided(Box::new(direction))),
        1 => Just(VerifiedFlowInput::OrganizationChosen(HOUSE)),
        1 => any::<bool>().prop_map(VerifiedFlowInput::ConsentDecided),
        1 => Just(device_authorization::recognised()),
        1 => Just(VerifiedFlowInput::RequestChanged),
        1 => prop::sample::select(vec![
            CompletedEnrollment::Passkey(passkey()),
            CompletedEnrollment::Totp { step: 1, name: String::new() },
            CompletedEnrollment::RecoveryCodes,
        ])
        .prop_map(VerifiedFlowInput::CredentialEnrolled),
        3 => Just(VerifiedFlowInput::RedirectedToProvider(at_provider())),
        3 => (any_person(), any_proof()).prop_map(|(person, proof)| VerifiedFlowInput::IdentityAsserted {
            person,
            proof,
            resolution: Box::new(IdentityResolution::ExistingMember),
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn flow_assurance_never_exceeds_the_authentication(
        purpose in prop::sample::select(purposes()), answers in prop::collection::vec(any_answer(), 0..12),
    ) {
        let mut flow = begin(purpose.clone()).with_sms(true).with_identity_providers(true).with_sign_up(true);
        let mut witness = EvidenceOracle::default();
        if let FlowPurpose::StepUp { base, .. } = &purpose {
            witness.base = base.clone();
        }
        if let FlowPurpose::VerifyPhone { texted, .. } = &purpose {
            witness.texted = Some(texted.account);
        }
        if let FlowPurpose::VerifyEmail { mailed, .. } | FlowPurpose::ChangeEmail { mailed } = &purpose {
            witness.mailed = Some(mailed.clone());
        }
        for answer in answers {
            let Ok(moved) = flow.clone().apply_input(answer.clone()) else { continue };
            prop_assert!(!flow.is_finished(), "a finished flow accepts no input");
            witness.hears(&answer, purpose.kind());
            for effect in &moved.effects {
                match effect {
                    FlowEffect::StartSession { account, evidence } => {
                        prop_assert!(!evidence.is_empty());
                        prop_assert!(evidence.assurance_level() <= witness.evidence_of(*account).assurance_level());
                        prop_assert_ne!(purpose.kind(), FlowKind::ResetPassword);
                    }
                    FlowEffect::RenewSession { evidence } => {
                        let account = moved.flow.account().unwrap();
                        prop_assert!(evidence.assurance_level() <= witness.evidence_of(account).assurance_level());
                        prop_assert!(witness.proven.iter().any(|(whose, _)| *whose == account));
                    }
                    FlowEffect::SetPassword { account, .. } | FlowEffect::EndSessions { account, .. } => {
                        prop_assert_eq!(purpose.kind(), FlowKind::ResetPassword);
                        prop_assert!(witness.mail_read.contains(&Some(*account)), "without an e-mail proof");
                    }
                    FlowEffect::ChangeEmail { account, .. } => {
                        prop_assert_eq!(purpose.kind(), FlowKind::ChangeEmail);
                        prop_assert!(witness.mail_read.contains(&Some(*account)));
                    }
                    FlowEffect::VerifyContact { account, .. } => {
                        let read = [&witness.mail_read, &witness.text_read];
                        prop_assert!(read.iter().any(|read| read.contains(&Some(*account))));
                    }
                    FlowEffect::CreateAccount { details, is_proven } => {
                        prop_assert_eq!(details.account, None, "an existing account is not created again");
                        let is_read = witness.mail_read.contains(&None);
                        let is_invited = purpose.kind() == FlowKind::AcceptInvitation;
                        prop_assert!(!is_proven || is_read || is_invited);
                    }
                    FlowEffect::AddCredential { account, pending_enrollment, completed_enrollment } => {
                        prop_assert!(purpose.kind() == FlowKind::Enroll || purpose.kind().enrolls_on_demand());
                        prop_assert_eq!(Some(*account), flow.account(), "for the signed-in user");
                        prop_assert_eq!(pending_enrollment.factor(), completed_enrollment.factor());
                        prop_assert_eq!(moved.effects.len(), 1, "and it proves nothing");
                    }
                    FlowEffect::SendSmsChallenge(texted) | FlowEffect::ResendSmsChallenge(texted) => {
                        let is_first = matches!(texted.from.as_deref(), Some(FlowStage::SignIn));
                        prop_assert!(is_first || texted.account == flow.account(), "to no other phone");
                    }
                    FlowEffect::ResolveIdentity { account, .. } => {
                        let is_vouched_for = matches!(answer, VerifiedFlowInput::IdentityAsserted { .. });
                        prop_assert!(is_vouched_for && matches!(flow.stage(), FlowStage::AtProvider(_)));
                        let is_linking = purpose.kind() == FlowKind::LinkIdentity;
                        prop_assert!(!is_linking || *account == ANA, "to the account of the signed-in user");
                        prop_assert!(!is_linking || moved.effects.len() == 1, "and it proves nothing");
                    }
                    FlowEffect::SendEmailChallenge(_)
                    | FlowEffect::ResendEmailChallenge(_)
                    | FlowEffect::AcceptInvitation { .. }
                    | FlowEffect::MakeOperator { .. } => {}
                }
            }
            flow = moved.flow;
        }
    }

    #[test]
    fn flow_state_round_trips_and_rejects_another_flow_or_format(
        purpose in prop::sample::select(purposes()), answers in prop::collection::vec(any_answer(), 0..8),
    ) {
        let mut flow = begin(purpose);
        for answer in answers {
            if let Ok(moved) = flow.clone().apply_input(answer) {
                flow = moved.flow;
            }
        }
        let text = serde_json::to_string(&flow).unwrap();
        let state = || serde_json::from_str::<serde_json::Value>(&text).unwrap();
        prop_assert_eq!(storage_format::parse_stored_flow(FLOW, storage_format::FORMAT_VERSION, state()), Ok(flow));
        let other = FlowId::from_bytes([99; 16]);
        prop_assert_eq!(storage_format::parse_stored_flow(other, storage_format::FORMAT_VERSION, state()), Err(storage_format::InvalidStoredFlow::Damaged));
        prop_assert_eq!(storage_format::parse_stored_flow(FLOW, storage_format::FORMAT_VERSION + 1, state()), Err(storage_format::InvalidStoredFlow::UnknownVersion));
    }
}
