//! Acknowledged writes are on disk, as seen from outside the process.

#[cfg(test)]
#[expect(dead_code, reason = "the both_engines use what these tests do not")]
#[path = "contract/database.rs"]
mod database;
#[cfg(test)]
#[path = "durability/journal.rs"]
mod journal;
#[cfg(test)]
#[path = "durability/killed_process.rs"]
mod killed_process;
#[cfg(test)]
#[path = "durability/syscall_order.rs"]
mod syscall_order;
