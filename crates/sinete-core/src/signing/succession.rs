//! Who signs next: when a key joins those of its purpose and algorithm, and when one is withdrawn early.
//!
//! Of these keys at most one is open-ended, the newest; every other one has a successor or was withdrawn.

use super::{SigningKeyLifecycle, SigningKeyPhase};
use crate::time::Timestamp;

/// What a new key's arrival means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SigningKeyRotation {
    /// The life of the new key.
    pub newcomer: SigningKeyLifecycle,
    /// What becomes of the newest key before it, if there was one.
    pub predecessor: Option<SigningKeyLifecycle>,
}

/// The newest key has not begun to sign, so it cannot hand over yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RotationInProgress {
    /// When it begins to sign.
    pub signs_from: Timestamp,
}

/// Lets a new key follow the newest one. The first key signs at once; later ones are announced first. While
/// one is announced there is no other: two who rotate at the same time make one successor between them.
pub fn succeed(
    newest: Option<SigningKeyLifecycle>,
    now: Timestamp,
) -> Result<SigningKeyRotation, RotationInProgress> {
    let Some(newest) = newest else {
        return Ok(SigningKeyRotation { newcomer: SigningKeyLifecycle::first(now), predecessor: None });
    };
    if newest.phase(now) == SigningKeyPhase::Announced {
        return Err(RotationInProgress { signs_from: newest.signs_from });
    }
    let newcomer = SigningKeyLifecycle::successor(now);
    Ok(SigningKeyRotation { newcomer, predecessor: Some(newest.handing_over_to(&newcomer)) })
}

/// What must happen along with a key's early withdrawal so that somebody still signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRevocationRemedy<K> {
    /// Nothing: it no longer signed.
    Nothing,
    /// The announced successor begins to sign at once, with this life.
    Advance(K, SigningKeyLifecycle),
    /// The key that was to hand over to it goes on signing, with this life.
    Resume(K, SigningKeyLifecycle),
    /// A new key is needed, and signs at once.
    Replace,
}

/// What the withdrawal of a key calls for, given the other keys of its purpose and algorithm.
pub fn remedy<K>(
    withdrawn: &SigningKeyLifecycle,
    others: impl IntoIterator<Item = (K, SigningKeyLifecycle)>,
    now: Timestamp,
) -> KeyRevocationRemedy<K> {
    match withdrawn.phase(now) {
        SigningKeyPhase::Withdrawn | SigningKeyPhase::Retiring => KeyRevocationRemedy::Nothing,
        SigningKeyPhase::Signing => {
            let successor =
                others.into_iter().find(|(_, life)| life.phase(now) == SigningKeyPhase::Announced);
            successor.map_or(KeyRevocationRemedy::Replace, |(key, life)| {
                KeyRevocationRemedy::Advance(key, SigningKeyLifecycle { signs_from: now, ..life })
            })
        }
        SigningKeyPhase::Announced => {
            let predecessor =
                others.into_iter().find(|(_, life)| life.phase(now) == SigningKeyPhase::Signing);
            predecessor.map_or(KeyRevocationRemedy::Replace, |(key, life)| {
                KeyRevocationRemedy::Resume(
                    key,
                    SigningKeyLifecycle { signs_until: None, withdrawn_at: None, ..life },
                )
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Lifetime;
    use proptest::prelude::*;

    const START: Timestamp = Timestamp::from_seconds(1_000_000);

    /// One thing an operator may do, at a moment that is some seconds after the thing before.
    #[derive(Clone, Debug)]
    enum RotationStep {
        Rotate,
        Withdraw(usize),
        Wait,
    }

    fn deed() -> impl Strategy<Value = RotationStep> {
        prop_oneof![
            Just(RotationStep::Rotate),
            any::<usize>().prop_map(RotationStep::Withdraw),
            Just(RotationStep::Wait)
        ]
    }

    fn perform(lives: &mut Vec<SigningKeyLifecycle>, deed: &RotationStep, now: Timestamp) {
        match deed {
            RotationStep::Wait => {}
            RotationStep::Rotate => {
                let newest = lives.iter().position(|life| life.signs_until.is_none());
                if let Ok(succession) = succeed(newest.map(|place| lives[place]), now) {
                    if let (Some(place), Some(predecessor)) = (newest, succession.predecessor) {
                        lives[place] = predecessor;
                    }
                    lives.push(succession.newcomer);
                }
            }
            RotationStep::Withdraw(any) => {
                let place = any % lives.len();
                if lives[place].phase(now) == SigningKeyPhase::Withdrawn {
                    return;
                }
                let others = lives.clone().into_iter().enumerate().filter(|(other, _)| *other != place);
                match remedy(&lives[place], others, now) {
                    KeyRevocationRemedy::Nothing => {}
                    KeyRevocationRemedy::Advance(other, life) | KeyRevocationRemedy::Resume(other, life) => {
                        lives[other] = life
                    }
                    KeyRevocationRemedy::Replace => lives.push(SigningKeyLifecycle::first(now)),
                }
                lives[place] = lives[place].revoked(now);
            }
        }
    }

    proptest! {
        #[test]
        fn whatever_operators_do_exactly_one_key_signs_and_exactly_one_is_open_ended(
            deeds in proptest::collection::vec((deed(), 0_u32..5_000), 1..20),
        ) {
            let mut lives = vec![SigningKeyLifecycle::first(START)];
            let mut now = START;
            for (deed, seconds) in deeds {
                now = now.plus(Lifetime::from_seconds(seconds));
                perform(&mut lives, &deed, now);
                for moment in [now, now.plus(Lifetime::from_seconds(330)), now.plus(Lifetime::from_hours(9))] {
                    let signing = lives.iter().filter(|life| life.phase(moment) == SigningKeyPhase::Signing).count();
                    prop_assert_eq!(signing, 1, "after {:?} at {}: {:?}", deed, moment, lives);
                }
                prop_assert_eq!(lives.iter().filter(|life| life.signs_until.is_none()).count(), 1);
            }
        }
    }

    #[test]
    fn a_second_rotation_waits_for_the_first() {
        let newest = SigningKeyLifecycle::successor(START);
        assert_eq!(succeed(Some(newest), START), Err(RotationInProgress { signs_from: newest.signs_from }));
        assert!(succeed(Some(newest), newest.signs_from).is_ok());
    }

    #[test]
    fn the_first_key_signs_at_once_and_a_later_one_does_not() {
        assert_eq!(succeed(None, START).unwrap().newcomer.phase(START), SigningKeyPhase::Signing);
        let succession = succeed(Some(SigningKeyLifecycle::first(START)), START).unwrap();
        assert_eq!(succession.newcomer.phase(START), SigningKeyPhase::Announced);
        assert_eq!(succession.predecessor.unwrap().signs_until, Some(succession.newcomer.signs_from));
    }

    #[test]
    fn withdrawing_a_key_calls_for_what_keeps_somebody_signing() {
        let old = SigningKeyLifecycle::first(START);
        assert_eq!(
            remedy(&old, Vec::<(u8, SigningKeyLifecycle)>::new(), START),
            KeyRevocationRemedy::Replace
        );
        let new = SigningKeyLifecycle::successor(START);
        let old = old.handing_over_to(&new);
        let KeyRevocationRemedy::Advance('n', advanced) = remedy(&old, [('n', new)], START) else { panic!() };
        assert_eq!((advanced.phase(START), advanced.published_at), (SigningKeyPhase::Signing, START));
        let KeyRevocationRemedy::Resume('o', resumed) = remedy(&new, [('o', old)], START) else { panic!() };
        assert_eq!(resumed, SigningKeyLifecycle::first(START));
        let later = new.signs_from;
        assert_eq!(remedy(&old, [('n', new)], later), KeyRevocationRemedy::Nothing);
    }
}
