//! Suggestions for mistyped names ("Did you mean …?").

/// Finds the closest candidate, if one is close enough.
pub fn find_nearest_name<'a>(input: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let generous = input.chars().count().div_ceil(3).clamp(1, 4);
    candidates
        .into_iter()
        .map(|candidate| (shortest_distance(input, candidate), candidate))
        .filter(|(distance, _)| *distance <= generous)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The distance to a candidate. Also accepts a missing section, such as `enabled` for `screens.enabled`, or a
/// prefix, such as `base` for `base_url`.
fn shortest_distance(input: &str, candidate: &str) -> usize {
    let full_distance = edit_distance(input, candidate);
    let last = candidate.rsplit_once('.').map(|(_, last)| edit_distance(input, last).saturating_add(1));
    let prefix_distance = (input.len() >= PREFIX_BYTES_MIN && candidate.starts_with(input)).then_some(1);
    full_distance.min(last.unwrap_or(full_distance)).min(prefix_distance.unwrap_or(full_distance))
}

/// The minimum length of a prefix that is accepted.
const PREFIX_BYTES_MIN: usize = 3;

/// The edit distance: insertions, deletions, replacements and transpositions.
fn edit_distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut rows = vec![vec![0; to.len() + 1]; from.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=to.len()).collect();
    for i in 1..=from.len() {
        for j in 1..=to.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["listen", "admin_listen", "screens.enabled", "base_url"];

    #[test]
    fn mistyped_key_suggests_the_nearest_one() {
        for (mistyped_name, suggestion) in [
            ("lissten", "listen"),
            ("lisetn", "listen"),
            ("baseurl", "base_url"),
            ("screen.enabled", "screens.enabled"),
            ("enabled", "screens.enabled"),
            ("adminlisten", "admin_listen"),
            ("base", "base_url"),
        ] {
            assert_eq!(find_nearest_name(mistyped_name, NAMES), Some(suggestion), "{mistyped_name}");
        }
    }

    #[test]
    fn unrelated_word_gets_no_suggestion() {
        for unrelated_word in ["", "x", "colour", "password", "ünïcödé"] {
            assert_eq!(find_nearest_name(unrelated_word, NAMES), None, "{unrelated_word}");
        }
    }
}
