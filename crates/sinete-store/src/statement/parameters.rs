//! The parameters of a statement: found outside quotes, counted and rewritten.

/// A `VALUES` row of this many parameters, in order.
pub(super) fn values_row(parameters: usize) -> String {
    let parameters: Vec<_> = (1..=parameters).map(|number| format!("${number}")).collect();
    format!("VALUES ({})", parameters.join(", "))
}

/// Rewrites every `?` outside quotes, numbering from `before`; quoted text stays as it is.
pub(super) fn with_dollar_parameters(sql: &str, before: usize) -> String {
    with_parameters(sql, |number| format!("${}", before + number))
}

/// Rewrites every `?` outside quotes with `write`.
pub(super) fn with_parameters(sql: &str, write: impl Fn(usize) -> String) -> String {
    let mut output = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some((text, number, after)) = next_parameter(rest) {
        output.push_str(text);
        output.push_str(&write(number));
        rest = after;
    }
    output.push_str(rest);
    output
}

/// The highest parameter number.
pub(super) fn count_parameters(sql: &str) -> usize {
    let (mut highest, mut rest) = (0, sql);
    while let Some((_, number, after)) = next_parameter(rest) {
        (highest, rest) = (highest.max(number), after);
    }
    highest
}

/// The next parameter outside quotes: the text before it, its number, and the text after it.
fn next_parameter(sql: &str) -> Option<(&str, usize, &str)> {
    let mut quote = None;
    let index = sql.find(|character| {
        match quote {
            Some(open) if open == character => quote = None,
            Some(_) => {}
            None if matches!(character, '\'' | '"') => quote = Some(character),
            None => return character == '?',
        }
        false
    })?;
    let (text, marked) = sql.split_at(index);
    let after_marker = &marked[1..];
    let digits =
        after_marker.find(|character: char| !character.is_ascii_digit()).unwrap_or(after_marker.len());
    let (number, after) = after_marker.split_at(digits);
    Some((text, number.parse().ok()?, after))
}
