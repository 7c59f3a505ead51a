//! Going to a provider, and coming back from it.

use super::*;
use crate::flow::action::Action;
use crate::flow::stage::AtProvider;
use crate::id::ConnectionId;

pub(super) fn at_provider() -> AtProvider {
    AtProvider { connection: ConnectionId::from_bytes([6; 16]), from: None, hint: None, return_to: None }
}

const FED: Proof = Proof::SingleSignOn { assurance: Assurance::One, organization: HOUSE };

fn vouched(person: Person, admission: Admission) -> Answer {
    Answer::Vouched { person, proof: FED, admission: Box::new(admission) }
}

#[test]
fn a_provider_signs_in_whom_it_vouches_for_and_an_authenticator_application_is_still_asked_for() {
    let flow = begin(Purpose::SignIn).providing(true);
    assert!(flow.actions().contains(&Action::SingleSignOn));
    let there = flow.step(Answer::SentToProvider(at_provider())).unwrap().flow;
    assert_eq!(there.actions(), [Action::ProviderAnswer, Action::Restart]);
    let moved = there.clone().step(vouched(ana(), Admission::Known)).unwrap();
    let admit = Effect::Admit { account: ANA, admission: Box::new(Admission::Known) };
    assert_eq!(moved.effects, [admit, Effect::StartSession { account: ANA, evidence: Evidence::of(FED) }]);
    let moved = there.clone().step(vouched(careful_ana(), Admission::Known)).unwrap();
    assert_eq!(moved.flow.stage(), &Stage::SecondFactor);
    let back = there.step(Answer::Restart).unwrap().flow;
    assert_eq!(back.stage(), &Stage::SignIn);
}

#[test]
fn nobody_is_sent_anywhere_where_nobody_signs_in_at_providers() {
    let flow = begin(Purpose::SignIn);
    assert!(!flow.actions().contains(&Action::SingleSignOn));
    assert_eq!(flow.step(Answer::SentToProvider(at_provider())), Err(OutOfTurn));
    for purpose in [Purpose::SignUp, Purpose::ResetPassword, Purpose::FirstOperator { link: [9; 32] }] {
        let flow = begin(purpose).providing(true);
        assert_eq!(flow.step(Answer::SentToProvider(at_provider())), Err(OutOfTurn));
    }
    // Without having been sent there, nobody comes back from there.
    let flow = begin(Purpose::SignIn).providing(true);
    assert_eq!(flow.step(vouched(ana(), Admission::Known)), Err(OutOfTurn));
}

#[test]
fn an_identity_is_linked_to_whoever_is_signed_in_and_signs_nobody_in() {
    let flow = begin(Purpose::LinkIdentity { at: at_provider() });
    let other = person(BIA, &[]);
    assert_eq!(flow.clone().step(vouched(other, Admission::Known)), Err(OutOfTurn));
    let moved = flow.step(vouched(ana(), Admission::Known)).unwrap();
    assert_eq!(moved.flow.stage(), &Stage::Finished(Ending::IdentityLinked));
    assert_eq!(moved.effects, [Effect::Admit { account: ANA, admission: Box::new(Admission::Known) }]);
}

#[test]
fn whoever_has_nothing_of_their_own_proves_it_again_at_the_provider() {
    let step_up = Purpose::StepUp { needs: Assurance::One, base: Evidence::default() };
    let federated = person(ANA, &[Way::SingleSignOn]);
    let flow = Flow::begin(FLOW, step_up.clone(), Carrier::Token, Some((SESSION, federated.clone())));
    assert_eq!(flow.actions(), [Action::SingleSignOn]);
    let there = flow.step(Answer::SentToProvider(at_provider())).unwrap().flow;
    let moved = there.step(vouched(federated, Admission::Known)).unwrap();
    assert!(matches!(moved.effects[..], [Effect::Admit { .. }, Effect::RenewSession { .. }]));
    let own = Flow::begin(FLOW, step_up, Carrier::Token, Some((SESSION, ana())));
    assert_eq!(own.step(Answer::SentToProvider(at_provider())), Err(OutOfTurn));
}
