//! Somebody answers for a device: only once they are signed in, only for the code they typed, and only once.

use super::*;

pub(super) fn recognised() -> Answer {
    let parameters = Unvalidated::new([("scope", "openid")]);
    let asked = Asked::new("tv".parse().unwrap(), &parameters, Arrival::Device([7; 32]));
    Answer::Recognised(Box::new(asked))
}

pub(super) fn refused() -> Direction {
    Direction::Refuse { error: "access_denied".into(), description: "not there".into() }
}

/// What a client waits with that asks for somebody's approval.
pub(super) fn approval() -> Purpose {
    let parameters = Unvalidated::new([("scope", "openid")]);
    let asked = Asked::new("agent".parse().unwrap(), &parameters, Arrival::Backchannel([8; 32]));
    Purpose::ApproveRequest { asked: Box::new(asked), answers: Answers::default() }
}

fn direct(direction: Direction) -> Answer {
    Answer::Directed(Box::new(direction))
}

fn consent() -> Answer {
    direct(Direction::Consent { agreement: agreement(), question: json!({"client": "TV"}) })
}

fn device() -> Flow {
    begin(Purpose::ConfirmDevice { offered: None, asked: None, answers: Answers::default() })
}

#[test]
fn a_device_is_answered_for_after_signing_in_typing_its_code_and_seeing_what_it_asks() {
    let signed_in = walk(device(), [direct(Direction::SignIn), proved(ana(), Proof::Password)]).unwrap();
    assert!(matches!(signed_in.effects[..], [Effect::StartSession { .. }]));
    let at_code = walk(signed_in.flow, [direct(Direction::UserCode)]).unwrap().flow;
    let names: Vec<_> = at_code.actions().iter().map(|action| action.name()).collect();
    assert_eq!((at_code.stage().name(), names), ("user_code", vec!["user_code"]));
    let asked = walk(at_code, [recognised(), consent()]).unwrap().flow;
    assert_eq!(asked.purpose().asked().map(|asked| asked.arrival), Some(Arrival::Device([7; 32])));
    for (agreed, ending) in [(true, Ending::DeviceAllowed), (false, Ending::DeviceDenied)] {
        let over = asked.clone().step(Answer::Consented(agreed)).unwrap().flow;
        assert_eq!((over.stage(), over.is_finished()), (&Stage::Finished(ending), true));
        assert_eq!(over.step(Answer::Consented(true)), Err(OutOfTurn), "it is answered once");
    }
    let again = asked.step(Answer::Reconsidered).unwrap().flow;
    assert_eq!(again.stage(), &Stage::Deciding);
    let over = again.step(direct(refused())).unwrap().flow;
    assert!(over.is_finished() && over.actions().is_empty());
}

#[test]
fn a_code_is_typed_in_no_other_flow_and_no_device_is_sent_on() {
    let here = walk(device(), [direct(Direction::UserCode)]).unwrap().flow;
    for out_of_turn in [Answer::Consented(true), Answer::Chose(HOUSE), Answer::CodeRight { person: None }] {
        assert_eq!(here.clone().step(out_of_turn), Err(OutOfTurn));
    }
    assert_eq!(device().step(recognised()), Err(OutOfTurn), "before it is asked for");
    assert_eq!(device().step(direct(Direction::Resume)), Err(OutOfTurn));
    for direction in [Direction::UserCode, refused()] {
        assert_eq!(begin(asked()).step(direct(direction)), Err(OutOfTurn));
    }
    assert!(!device().can_be_taken_over(), "by whoever reads a letter that somebody else had sent");
}

#[test]
fn an_approval_is_given_after_proving_enough_and_seeing_what_is_asked_and_only_once() {
    let needs = Direction::StepUp {
        needs: Assurance::Two,
        base: Evidence::of(Proof::Password),
        person: careful_ana(),
    };
    let stepped = walk(begin(approval()), [direct(needs), proved(careful_ana(), Proof::Totp)]).unwrap();
    assert!(matches!(stepped.effects[..], [Effect::RenewSession { .. }]));
    let asked = walk(stepped.flow, [consent()]).unwrap().flow;
    for (agreed, ending) in [(true, Ending::RequestApproved), (false, Ending::RequestDenied)] {
        let over = asked.clone().step(Answer::Consented(agreed)).unwrap().flow;
        assert_eq!((over.stage(), over.is_finished()), (&Stage::Finished(ending), true));
        assert_eq!(over.step(Answer::Consented(true)), Err(OutOfTurn), "it is answered once");
    }
    for elsewhere in [Direction::UserCode, Direction::Resume] {
        assert_eq!(begin(approval()).step(direct(elsewhere)), Err(OutOfTurn));
    }
    assert_eq!(begin(approval()).step(recognised()), Err(OutOfTurn), "no code leads here");
    assert!(walk(begin(approval()), [direct(refused())]).unwrap().flow.is_finished());
    assert!(!begin(approval()).can_be_taken_over());
}
