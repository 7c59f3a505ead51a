//! Rotation and revocation of signing keys.
//!
//! Of the keys of one purpose and algorithm, only the newest is without an end; every other one has a
//! successor or was withdrawn.

use super::{SigningKeyLifecycle, SigningKeyPhase};
use crate::time::Timestamp;

/// The result of adding a new key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SigningKeyRotation {
    /// The lifecycle of the new key.
    pub new_key: SigningKeyLifecycle,
    /// The updated lifecycle of the previously newest key, if there was one.
    pub predecessor: Option<SigningKeyLifecycle>,
}

/// The newest key does not sign yet, so it cannot be succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RotationInProgress {
    /// When it begins to sign.
    pub signs_from: Timestamp,
}

/// Plans the succession of the newest key by a new one. The first key signs at once, later ones are announced
/// first. While one is announced, no other can be added, so that concurrent rotations create only one
/// successor.
pub fn plan_rotation(
    newest: Option<SigningKeyLifecycle>,
    now: Timestamp,
) -> Result<SigningKeyRotation, RotationInProgress> {
    let Some(newest) = newest else {
        return Ok(SigningKeyRotation { new_key: SigningKeyLifecycle::new_first(now), predecessor: None });
    };
    if newest.phase(now) == SigningKeyPhase::Announced {
        return Err(RotationInProgress { signs_from: newest.signs_from });
    }
    let newcomer = SigningKeyLifecycle::new_successor(now);
    Ok(SigningKeyRotation { new_key: newcomer, predecessor: Some(newest.hand_over_to(&newcomer)) })
}

/// What a key's revocation requires so that a key remains that signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRevocationRemedy<K> {
    /// Nothing: it no longer signed.
    Nothing,
    /// The announced successor begins to sign at once, with this lifecycle.
    Advance(K, SigningKeyLifecycle),
    /// The predecessor continues to sign, with this lifecycle.
    Resume(K, SigningKeyLifecycle),
    /// A new key is needed, which signs at once.
    Replace,
}

/// Plans the revocation of a key, given the other keys of its purpose and algorithm.
pub fn plan_revocation<K>(
    withdrawn: &SigningKeyLifecycle,
    others: impl IntoIterator<Item = (K, SigningKeyLifecycle)>,
    now: Timestamp,
) -> KeyRevocationRemedy<K> {
    match withdrawn.phase(now) {
        SigningKeyPhase::Withdrawn | SigningKeyPhase::Retiring => KeyRevocationRemedy::Nothing,
        SigningKeyPhase::Signing => {
            let successor = others
                .into_iter()
                .find(|(_, key_lifecycle)| key_lifecycle.phase(now) == SigningKeyPhase::Announced);
            successor.map_or(KeyRevocationRemedy::Replace, |(key, key_lifecycle)| {
                KeyRevocationRemedy::Advance(key, SigningKeyLifecycle { signs_from: now, ..key_lifecycle })
            })
        }
        SigningKeyPhase::Announced => {
            let predecessor = others
                .into_iter()
                .find(|(_, key_lifecycle)| key_lifecycle.phase(now) == SigningKeyPhase::Signing);
            predecessor.map_or(KeyRevocationRemedy::Replace, |(key, key_lifecycle)| {
                KeyRevocationRemedy::Resume(
                    key,
                    SigningKeyLifecycle { signs_until: None, withdrawn_at: None, ..key_lifecycle },
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

    /// An action of an operator, some seconds after the previous one.
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
                let newest = lives.iter().position(|key_lifecycle| key_lifecycle.signs_until.is_none());
                if let Ok(succession) = plan_rotation(newest.map(|index| lives[index]), now) {
                    if let (Some(index), Some(predecessor)) = (newest, succession.predecessor) {
                        lives[index] = predecessor;
                    }
                    lives.push(succession.new_key);
                }
            }
            RotationStep::Withdraw(any) => {
                let index = any % lives.len();
                if lives[index].phase(now) == SigningKeyPhase::Withdrawn {
                    return;
                }
                let others = lives.clone().into_iter().enumerate().filter(|(other, _)| *other != index);
                match plan_revocation(&lives[index], others, now) {
                    KeyRevocationRemedy::Nothing => {}
                    KeyRevocationRemedy::Advance(other, key_lifecycle)
                    | KeyRevocationRemedy::Resume(other, key_lifecycle) => lives[other] = key_lifecycle,
                    KeyRevocationRemedy::Replace => lives.push(SigningKeyLifecycle::new_first(now)),
                }
                lives[index] = lives[index].revoke(now);
            }
        }
    }

    proptest! {
        #[test]
        fn signing_key_succession_always_has_one_signer_and_one_open_ended_key(
            deeds in proptest::collection::vec((deed(), 0_u32..5_000), 1..20),
        ) {
            let mut lives = vec![SigningKeyLifecycle::new_first(START)];
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
    fn signing_key_rotation_waits_for_the_previous_one() {
        let newest = SigningKeyLifecycle::new_successor(START);
        assert_eq!(
            plan_rotation(Some(newest), START),
            Err(RotationInProgress { signs_from: newest.signs_from })
        );
        assert!(plan_rotation(Some(newest), newest.signs_from).is_ok());
    }

    #[test]
    fn signing_key_first_signs_at_once_and_a_successor_later() {
        assert_eq!(plan_rotation(None, START).unwrap().new_key.phase(START), SigningKeyPhase::Signing);
        let succession = plan_rotation(Some(SigningKeyLifecycle::new_first(START)), START).unwrap();
        assert_eq!(succession.new_key.phase(START), SigningKeyPhase::Announced);
        assert_eq!(succession.predecessor.unwrap().signs_until, Some(succession.new_key.signs_from));
    }

    #[test]
    fn signing_key_withdrawal_is_followed_by_a_replacement_or_advance() {
        let old = SigningKeyLifecycle::new_first(START);
        assert_eq!(
            plan_revocation(&old, Vec::<(u8, SigningKeyLifecycle)>::new(), START),
            KeyRevocationRemedy::Replace
        );
        let new = SigningKeyLifecycle::new_successor(START);
        let old = old.hand_over_to(&new);
        let KeyRevocationRemedy::Advance('n', advanced) = plan_revocation(&old, [('n', new)], START) else {
            panic!()
        };
        assert_eq!((advanced.phase(START), advanced.published_at), (SigningKeyPhase::Signing, START));
        let KeyRevocationRemedy::Resume('o', resumed) = plan_revocation(&new, [('o', old)], START) else {
            panic!()
        };
        assert_eq!(resumed, SigningKeyLifecycle::new_first(START));
        let later = new.signs_from;
        assert_eq!(plan_revocation(&old, [('n', new)], later), KeyRevocationRemedy::Nothing);
    }
}
