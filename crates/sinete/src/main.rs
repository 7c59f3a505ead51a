//! The `sinete` command.

use mimalloc::MiMalloc;

/// A request takes and gives back memory some hundred times. This allocator does it in half the time of the system's.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> std::process::ExitCode {
    sinete::run(std::env::args_os()).into()
}
