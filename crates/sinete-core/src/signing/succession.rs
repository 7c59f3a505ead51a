//! Who signs next: when a key joins those of its purpose and algorithm, and when one is withdrawn early.
//!
//! Of these keys at most one is open-ended, the newest; every other one has a successor or was withdrawn.

use super::{Life, Phase};
use crate::time::Timestamp;

/// What a new key's arrival means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Succession {
    /// The life of the new key.
    pub newcomer: Life,
    /// What becomes of the newest key before it, if there was one.
    pub predecessor: Option<Life>,
}

/// The newest key has not begun to sign, so it cannot hand over yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StillAnnounced {
    /// When it begins to sign.
    pub signs_from: Timestamp,
}

/// Lets a new key follow the newest one. The first key signs at once; later ones are announced first. While
/// one is announced there is no other: two who rotate at the same time make one successor between them.
pub fn succeed(newest: Option<Life>, now: Timestamp) -> Result<Succession, StillAnnounced> {
    let Some(newest) = newest else {
        return Ok(Succession { newcomer: Life::first(now), predecessor: None });
    };
    if newest.phase(now) == Phase::Announced {
        return Err(StillAnnounced { signs_from: newest.signs_from });
    }
    let newcomer = Life::successor(now);
    Ok(Succession { newcomer, predecessor: Some(newest.handing_over_to(&newcomer)) })
}

/// What must happen along with a key's early withdrawal so that somebody still signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy<K> {
    /// Nothing: it no longer signed.
    Nothing,
    /// The announced successor begins to sign at once, with this life.
    Advance(K, Life),
    /// The key that was to hand over to it goes on signing, with this life.
    Resume(K, Life),
    /// A new key is needed, and signs at once.
    Replace,
}

/// What the withdrawal of a key calls for, given the other keys of its purpose and algorithm.
pub fn remedy<K>(withdrawn: &Life, others: impl IntoIterator<Item = (K, Life)>, now: Timestamp) -> Remedy<K> {
    match withdrawn.phase(now) {
        Phase::Withdrawn | Phase::Retiring => Remedy::Nothing,
        Phase::Signing => {
            let successor = others.into_iter().find(|(_, life)| life.phase(now) == Phase::Announced);
            successor
                .map_or(Remedy::Replace, |(key, life)| Remedy::Advance(key, Life { signs_from: now, ..life }))
        }
        Phase::Announced => {
            let predecessor = others.into_iter().find(|(_, life)| life.phase(now) == Phase::Signing);
            predecessor.map_or(Remedy::Replace, |(key, life)| {
                Remedy::Resume(key, Life { signs_until: None, withdrawn_at: None, ..life })
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
    enum Deed {
        Rotate,
        Withdraw(usize),
        Wait,
    }

    fn deed() -> impl Strategy<Value = Deed> {
        prop_oneof![Just(Deed::Rotate), any::<usize>().prop_map(Deed::Withdraw), Just(Deed::Wait)]
    }

    fn perform(lives: &mut Vec<Life>, deed: &Deed, now: Timestamp) {
        match deed {
            Deed::Wait => {}
            Deed::Rotate => {
                let newest = lives.iter().position(|life| life.signs_until.is_none());
                if let Ok(succession) = succeed(newest.map(|place| lives[place]), now) {
                    if let (Some(place), Some(predecessor)) = (newest, succession.predecessor) {
                        lives[place] = predecessor;
                    }
                    lives.push(succession.newcomer);
                }
            }
            Deed::Withdraw(any) => {
                let place = any % lives.len();
                if lives[place].phase(now) == Phase::Withdrawn {
                    return;
                }
                let others = lives.clone().into_iter().enumerate().filter(|(other, _)| *other != place);
                match remedy(&lives[place], others, now) {
                    Remedy::Nothing => {}
                    Remedy::Advance(other, life) | Remedy::Resume(other, life) => lives[other] = life,
                    Remedy::Replace => lives.push(Life::first(now)),
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
            let mut lives = vec![Life::first(START)];
            let mut now = START;
            for (deed, seconds) in deeds {
                now = now.plus(Lifetime::from_seconds(seconds));
                perform(&mut lives, &deed, now);
                for moment in [now, now.plus(Lifetime::from_seconds(330)), now.plus(Lifetime::from_hours(9))] {
                    let signing = lives.iter().filter(|life| life.phase(moment) == Phase::Signing).count();
                    prop_assert_eq!(signing, 1, "after {:?} at {}: {:?}", deed, moment, lives);
                }
                prop_assert_eq!(lives.iter().filter(|life| life.signs_until.is_none()).count(), 1);
            }
        }
    }

    #[test]
    fn a_second_rotation_waits_for_the_first() {
        let newest = Life::successor(START);
        assert_eq!(succeed(Some(newest), START), Err(StillAnnounced { signs_from: newest.signs_from }));
        assert!(succeed(Some(newest), newest.signs_from).is_ok());
    }

    #[test]
    fn the_first_key_signs_at_once_and_a_later_one_does_not() {
        assert_eq!(succeed(None, START).unwrap().newcomer.phase(START), Phase::Signing);
        let succession = succeed(Some(Life::first(START)), START).unwrap();
        assert_eq!(succession.newcomer.phase(START), Phase::Announced);
        assert_eq!(succession.predecessor.unwrap().signs_until, Some(succession.newcomer.signs_from));
    }

    #[test]
    fn withdrawing_a_key_calls_for_what_keeps_somebody_signing() {
        let old = Life::first(START);
        assert_eq!(remedy(&old, Vec::<(u8, Life)>::new(), START), Remedy::Replace);
        let new = Life::successor(START);
        let old = old.handing_over_to(&new);
        let Remedy::Advance('n', advanced) = remedy(&old, [('n', new)], START) else { panic!() };
        assert_eq!((advanced.phase(START), advanced.published_at), (Phase::Signing, START));
        let Remedy::Resume('o', resumed) = remedy(&new, [('o', old)], START) else { panic!() };
        assert_eq!(resumed, Life::first(START));
        let later = new.signs_from;
        assert_eq!(remedy(&old, [('n', new)], later), Remedy::Nothing);
    }
}
