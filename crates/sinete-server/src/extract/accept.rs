//! The `Accept` header: whether the client prefers a page to JSON.

/// Whether HTML is named and preferred at least as much as JSON. A client that accepts anything is a program
/// and gets JSON.
pub fn prefers_page(accept: &str) -> bool {
    let (mut page, mut json) = (0, 0);
    for choice in accept.split(',').take(ACCEPT_ENTRIES_MAX) {
        let mut parts = choice.split(';');
        let kind = parts.next().unwrap_or_default().trim();
        let weight = parts.find_map(|part| part.trim().strip_prefix("q=")).map_or(1_000, parse_quality);
        let is = |media_type: &str| kind.eq_ignore_ascii_case(media_type);
        if is("text/html") || is("application/xhtml+xml") {
            page = page.max(weight);
        } else if is("application/json") || is("application/problem+json") {
            json = json.max(weight);
        }
    }
    page > 0 && page >= json
}

/// The preferred one of these media types. Of equally preferred ones, or if none is accepted, the first.
pub fn preferred_media_type<'a>(accept: &str, offers: &[&'a str]) -> &'a str {
    let mut best = (0, offers.first().copied().unwrap_or_default());
    for offer in offers {
        let weight = media_type_quality(accept, offer);
        if weight > best.0 {
            best = (weight, offer);
        }
    }
    best.1
}

/// The quality of a media type in thousandths. An exact match takes precedence over a range.
fn media_type_quality(accept: &str, offer: &str) -> u32 {
    let group = offer.split('/').next().unwrap_or_default();
    let mut liked = [None; 3];
    for choice in accept.split(',').take(ACCEPT_ENTRIES_MAX) {
        let mut parts = choice.split(';');
        let kind = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let weight = parts.find_map(|part| part.trim().strip_prefix("q=")).map_or(1_000, parse_quality);
        let exactness = [kind == offer, kind == format!("{group}/*"), kind == "*/*"];
        if let Some(index) = exactness.iter().position(|is| *is) {
            liked[index] = Some(weight);
        }
    }
    liked.into_iter().flatten().next().unwrap_or_default()
}

/// Maximum entries; no browser sends more.
const ACCEPT_ENTRIES_MAX: usize = 30;

/// Parses a quality value in thousandths; an invalid one is zero.
fn parse_quality(value: &str) -> u32 {
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
    fn accept_header_picks_the_preferred_type_and_the_first_on_a_tie() {
        let offers = ["application/json", "application/jsonl", "text/csv"];
        for (accept, expected) in [
            ("", "application/json"),
            ("*/*", "application/json"),
            ("text/csv", "text/csv"),
            ("Text/CSV;charset=utf-8", "text/csv"),
            ("text/*;q=0.9, application/json;q=0.8", "text/csv"),
            ("text/csv;q=0.5, application/jsonl", "application/jsonl"),
            ("application/jsonl, */*;q=0.1", "application/jsonl"),
            ("text/csv;q=0, text/*", "application/json"),
            ("image/png", "application/json"),
            ("application/*, text/csv", "application/json"),
        ] {
            assert_eq!(preferred_media_type(accept, &offers), expected, "{accept}");
        }
    }

    #[test]
    fn accept_header_of_a_browser_prefers_html_and_of_a_program_json() {
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
