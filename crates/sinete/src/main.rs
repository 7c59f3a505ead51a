//! The `sinete` command.

fn main() -> std::process::ExitCode {
    sinete::run(std::env::args_os()).into()
}
