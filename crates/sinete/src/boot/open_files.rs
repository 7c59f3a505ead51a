//! How many files, and so connections, the system lets this process have open.

/// The limit in force, where the system tells it.
pub fn allowed() -> Option<u64> {
    parse(&std::fs::read_to_string("/proc/self/limits").ok()?)
}

fn parse(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_soft_limit_counts_and_no_limit_is_none() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max open files            1024                 524288               files     \n";
        assert_eq!(parse(limits), Some(1024));
        assert_eq!(parse(&limits.replace("1024  ", "unlimited")), None);
        assert_eq!(parse(""), None);
    }
}
