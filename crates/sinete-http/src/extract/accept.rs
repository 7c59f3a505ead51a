//! Whether whoever asked would rather read a page than JSON.

/// Whether an `Accept` header names HTML, and likes it at least as well as JSON. One that takes anything is
/// a program's: it gets JSON.
pub fn prefers_page(accept: &str) -> bool {
    let (mut page, mut json) = (0, 0);
    for choice in accept.split(',').take(CHOICES_MAX) {
        let mut parts = choice.split(';');
        let kind = parts.next().unwrap_or_default().trim();
        let weight = parts.find_map(|part| part.trim().strip_prefix("q=")).map_or(1_000, thousandths);
        let is = |known: &str| kind.eq_ignore_ascii_case(known);
        if is("text/html") || is("application/xhtml+xml") {
            page = page.max(weight);
        } else if is("application/json") || is("application/problem+json") {
            json = json.max(weight);
        }
    }
    page > 0 && page >= json
}

/// More choices than this are a header nobody's browser sends.
const CHOICES_MAX: usize = 30;

/// A quality value in thousandths; what is not one counts as "not at all".
fn thousandths(value: &str) -> u32 {
    match value.parse::<f32>() {
        Ok(share) if (0.0..=1.0).contains(&share) => {
            (0..=1_000).find(|&step| step as f32 >= share * 1_000.0).unwrap_or_default()
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_reads_pages_and_a_program_reads_json() {
        for accept in [
            "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            "TEXT/HTML",
            "application/json;q=0.5, text/html;level=1;q=0.5",
            "application/xhtml+xml;q=0.001",
        ] {
            assert!(prefers_page(accept), "{accept}");
        }
        for accept in [
            "",
            "*/*",
            "application/json",
            "text/html;q=0",
            "text/html;q=0.4, application/json",
            "text/html;q=nonsense",
            "text/html;q=2",
            "text/*",
            "text/htmlx",
        ] {
            assert!(!prefers_page(accept), "{accept}");
        }
    }
}
