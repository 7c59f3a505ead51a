//! The slots of one purpose, and which owner may acquire the next one.
//!
//! An owner may acquire a slot while it holds fewer than a quarter of the free slots. An owner alone gets a
//! fifth of all slots, and fewer as others hold more. Once half of them are taken, the rest is for owners
//! without any, so that only as many greedy owners as half the slots can exhaust them.

use super::OutboundOwner;
use crate::limits::{OUTBOUND_SELF_REGISTERED_MAX, OUTBOUND_SHARE_DIVISOR};
use std::collections::HashMap;

/// The slots of one purpose.
#[derive(Debug)]
pub struct OutboundSlotPool {
    total: usize,
    in_use: usize,
    by_owner: HashMap<OutboundOwner, usize>,
    by_self_registered: usize,
}

impl OutboundSlotPool {
    /// Creates this many free slots.
    pub fn new(total: usize) -> Self {
        Self { total, in_use: 0, by_owner: HashMap::new(), by_self_registered: 0 }
    }

    /// Acquires a slot if the owner may have another one.
    pub fn try_acquire(&mut self, owner: &OutboundOwner) -> bool {
        if !self.can_acquire(owner) {
            return false;
        }
        self.in_use += 1;
        self.by_self_registered += usize::from(owner.is_self_registered());
        *self.by_owner.entry(owner.clone()).or_default() += 1;
        true
    }

    /// Releases a slot of the owner.
    pub fn release(&mut self, owner: &OutboundOwner) {
        let Some(slots) = self.by_owner.get_mut(owner) else { return };
        *slots -= 1;
        if *slots == 0 {
            self.by_owner.remove(owner);
        }
        self.in_use -= 1;
        self.by_self_registered -= usize::from(owner.is_self_registered());
    }

    fn can_acquire(&self, owner: &OutboundOwner) -> bool {
        let free = self.total - self.in_use;
        let owner_slots = self.by_owner.get(owner).copied().unwrap_or_default();
        let has_share = |slots: usize| match slots {
            0 => free > 0,
            slots => slots * OUTBOUND_SHARE_DIVISOR < free && free > self.total / 2,
        };
        match owner {
            OutboundOwner::Instance => free > 0,
            OutboundOwner::Organization(_) | OutboundOwner::Client(_) => has_share(owner_slots),
            OutboundOwner::SelfRegistered(_) | OutboundOwner::Registrant(_) => {
                has_share(self.by_self_registered) && owner_slots < OUTBOUND_SELF_REGISTERED_MAX
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client_id::ClientId;
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

    /// Acquires as many slots as possible.
    fn fill(places: &mut OutboundSlotPool, owner: &OutboundOwner) -> usize {
        std::iter::repeat_with(|| places.try_acquire(owner)).take_while(|is_acquired| *is_acquired).count()
    }

    #[test]
    fn outbound_concurrency_of_one_owner_is_a_fifth_and_leaves_slots_to_others() {
        let mut places = OutboundSlotPool::new(128);
        let owners = organizations(2);
        assert_eq!(fill(&mut places, &owners[0]), 26);
        assert_eq!(fill(&mut places, &owners[1]), 21, "less than the first, and not much");
        places.release(&owners[0]);
        assert!(!places.try_acquire(&owners[0]), "free slots are shared among both");
    }

    #[test]
    fn outbound_concurrency_is_exhausted_only_by_many_greedy_owners() {
        let mut places = OutboundSlotPool::new(64);
        let owners = organizations(40);
        let got: Vec<_> = owners[..32].iter().map(|greedy| fill(&mut places, greedy)).collect();
        assert_eq!(got[..5], [13, 11, 8, 1, 1]);
        assert!(places.try_acquire(&owners[39]), "after 32 greedy owners");
    }

    #[test]
    fn outbound_concurrency_of_all_self_registered_clients_equals_one_owners() {
        let mut places = OutboundSlotPool::new(64);
        let clients = self_registered(100);
        assert_eq!(fill(&mut places, &clients[0]), 4);
        let all: usize = clients[1..].iter().map(|client| fill(&mut places, client)).sum();
        assert_eq!(4 + all, 13);
        let registrant = OutboundOwner::Registrant(None);
        assert!(!places.try_acquire(&registrant), "registering one more is counted with them");
        assert!(organizations(10).iter().all(|organization| places.try_acquire(organization)));
        for _ in 0..4 {
            places.release(&clients[0]);
        }
        assert!(places.try_acquire(&registrant), "released slots can be acquired again");
    }

    #[test]
    fn outbound_concurrency_of_the_instance_is_the_whole_pool() {
        let mut places = OutboundSlotPool::new(32);
        assert_eq!(fill(&mut places, &OutboundOwner::Instance), 32);
    }

    proptest! {
        #[test]
        fn outbound_concurrency_slots_never_exceed_the_pool_and_are_all_returned(
            turns in prop::collection::vec((0_usize..12, any::<bool>()), 0..400),
        ) {
            let owners: Vec<_> = organizations(6).into_iter().chain(self_registered(6)).collect();
            let mut places = OutboundSlotPool::new(16);
            let mut held: Vec<usize> = Vec::new();
            for (owner, takes) in turns {
                if takes {
                    if places.try_acquire(&owners[owner]) {
                        held.push(owner);
                    }
                } else if let Some(owner) = held.pop() {
                    places.release(&owners[owner]);
                }
                prop_assert!(held.len() <= 16 && places.in_use == held.len());
            }
            for owner in held {
                places.release(&owners[owner]);
            }
            prop_assert!(places.in_use == 0 && places.by_self_registered == 0 && places.by_owner.is_empty());
        }
    }
}
