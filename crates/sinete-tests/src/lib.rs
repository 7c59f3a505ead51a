//! Stories over real HTTP on both engines, races, faults and house rules.
