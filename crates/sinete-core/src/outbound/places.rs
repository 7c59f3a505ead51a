//! The places of one purpose, and who may take the next one.
//!
//! An owner may take a place while it holds less than a quarter of the places that are free: alone, it gets a fifth of all of
//! them, and the more of them others hold, the less. Once half of them are taken, the rest is for owners that hold none,
//! so that it takes as many greedy owners as half the places until somebody else finds none.

use super::OutboundOwner;
use crate::limits::{OUTBOUND_SELF_REGISTERED_MAX, OUTBOUND_SHARE};
use std::collections::HashMap;

/// The places of one purpose.
#[derive(Debug)]
pub struct PurposeSlots {
    total: usize,
    taken: usize,
    by_owner: HashMap<OutboundOwner, usize>,
    by_self_registered: usize,
}

impl PurposeSlots {
    /// So many places, all of them free.
    pub fn new(total: usize) -> Self {
        Self { total, taken: 0, by_owner: HashMap::new(), by_self_registered: 0 }
    }

    /// Takes a place for the owner, if it may have another one.
    pub fn take(&mut self, owner: &OutboundOwner) -> bool {
        if !self.may_take(owner) {
            return false;
        }
        self.taken += 1;
        self.by_self_registered += usize::from(owner.is_self_registered());
        *self.by_owner.entry(owner.clone()).or_default() += 1;
        true
    }

    /// Gives a place of the owner back.
    pub fn give_back(&mut self, owner: &OutboundOwner) {
        let Some(held) = self.by_owner.get_mut(owner) else { return };
        *held -= 1;
        if *held == 0 {
            self.by_owner.remove(owner);
        }
        self.taken -= 1;
        self.by_self_registered -= usize::from(owner.is_self_registered());
    }

    fn may_take(&self, owner: &OutboundOwner) -> bool {
        let free = self.total - self.taken;
        let held = self.by_owner.get(owner).copied().unwrap_or_default();
        let has_share = |held: usize| match held {
            0 => free > 0,
            held => held * OUTBOUND_SHARE < free && free > self.total / 2,
        };
        match owner {
            OutboundOwner::Instance => free > 0,
            OutboundOwner::Organization(_) | OutboundOwner::Client(_) => has_share(held),
            OutboundOwner::SelfRegistered(_) | OutboundOwner::Registrant(_) => {
                has_share(self.by_self_registered) && held < OUTBOUND_SELF_REGISTERED_MAX
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::ClientId;
    use crate::entropy::DangerouslySeededEntropy;
    use crate::id::OrganizationId;
    use crate::time::Timestamp;
    use proptest::prelude::*;

    fn organizations(count: usize) -> Vec<OutboundOwner> {
        let entropy = DangerouslySeededEntropy::new(7);
        let mint = || OrganizationId::mint(Timestamp::from_seconds(1_763_208_000), &entropy);
        (0..count).map(|_| OutboundOwner::Organization(mint())).collect()
    }

    fn self_registered(count: usize) -> Vec<OutboundOwner> {
        let entropy = DangerouslySeededEntropy::new(8);
        let mint = || ClientId::mint(Timestamp::from_seconds(1_763_208_000), &entropy);
        (0..count).map(|_| OutboundOwner::SelfRegistered(mint())).collect()
    }

    /// Takes as many as it gets.
    fn fill(places: &mut PurposeSlots, owner: &OutboundOwner) -> usize {
        std::iter::repeat_with(|| places.take(owner)).take_while(|taken| *taken).count()
    }

    #[test]
    fn one_owner_gets_a_fifth_and_everybody_else_still_finds_places() {
        let mut places = PurposeSlots::new(128);
        let owners = organizations(2);
        assert_eq!(fill(&mut places, &owners[0]), 26);
        assert_eq!(fill(&mut places, &owners[1]), 21, "less than the first, and not much");
        places.give_back(&owners[0]);
        assert!(!places.take(&owners[0]), "what is free by now is shared among both");
    }

    #[test]
    fn it_takes_many_greedy_owners_until_one_more_finds_no_place() {
        let mut places = PurposeSlots::new(64);
        let owners = organizations(40);
        let got: Vec<_> = owners[..32].iter().map(|greedy| fill(&mut places, greedy)).collect();
        assert_eq!(got[..5], [13, 11, 8, 1, 1]);
        assert!(places.take(&owners[39]), "after 32 greedy owners");
    }

    #[test]
    fn however_many_clients_register_themselves_they_get_what_one_owner_gets() {
        let mut places = PurposeSlots::new(64);
        let clients = self_registered(100);
        assert_eq!(fill(&mut places, &clients[0]), 4);
        let all: usize = clients[1..].iter().map(|client| fill(&mut places, client)).sum();
        assert_eq!(4 + all, 13);
        let registrant = OutboundOwner::Registrant(None);
        assert!(!places.take(&registrant), "registering one more is counted with them");
        assert!(organizations(10).iter().all(|organization| places.take(organization)));
        for _ in 0..4 {
            places.give_back(&clients[0]);
        }
        assert!(places.take(&registrant), "what they gave back is theirs again");
    }

    #[test]
    fn the_instance_is_kept_from_its_places_by_nobody_but_the_last_one() {
        let mut places = PurposeSlots::new(32);
        assert_eq!(fill(&mut places, &OutboundOwner::Instance), 32);
    }

    proptest! {
        #[test]
        fn places_are_never_more_than_there_are_and_all_come_back(
            turns in prop::collection::vec((0_usize..12, any::<bool>()), 0..400),
        ) {
            let owners: Vec<_> = organizations(6).into_iter().chain(self_registered(6)).collect();
            let mut places = PurposeSlots::new(16);
            let mut held: Vec<usize> = Vec::new();
            for (owner, takes) in turns {
                if takes {
                    if places.take(&owners[owner]) {
                        held.push(owner);
                    }
                } else if let Some(owner) = held.pop() {
                    places.give_back(&owners[owner]);
                }
                prop_assert!(held.len() <= 16 && places.taken == held.len());
            }
            for owner in held {
                places.give_back(&owners[owner]);
            }
            prop_assert!(places.taken == 0 && places.by_self_registered == 0 && places.by_owner.is_empty());
        }
    }
}
