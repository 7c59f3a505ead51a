//! A list of users to invite, as CSV (RFC 4180): e-mail address, roles, language. All errors are reported at
//! once, each with its line, so that a list is accepted or rejected as a whole.

use crate::accounts::email_address::EmailAddress;
use crate::accounts::language::Language;
use crate::limits::INVITATION_LIST_LINES_MAX;
use std::collections::HashMap;

/// The role of a line that names none.
pub const DEFAULT_ROLE: &str = "member";

/// A recipient of an invitation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvitationLine<Role> {
    /// The line, counted from one.
    pub line: usize,
    /// The recipient.
    pub address: EmailAddress,
    /// The roles.
    pub roles: Vec<Role>,
    /// The language; `None` for the organization's.
    pub language: Option<Language>,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvitationFault {
    /// The first column is not an e-mail address.
    Email(String),
    /// The role does not exist, or the inviter may not assign it.
    Role(String),
    /// The language is unknown.
    Language(String),
    /// The address is on an earlier line.
    Repeated(usize),
    /// There are more than three columns.
    Columns,
    /// There are more lines than a list may have.
    TooMany,
}

/// An invalid line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultyLine {
    /// The line, counted from one.
    pub line: usize,
    /// What is wrong with it.
    pub fault: InvitationFault,
}

/// Parses a list. `find_role` finds a role that the inviter may assign by its name.
pub fn parse_invitation_list<Role>(
    text: &str,
    find_role: impl Fn(&str) -> Option<Role>,
) -> Result<Vec<InvitationLine<Role>>, Vec<FaultyLine>> {
    let text = text.trim_start_matches('\u{feff}');
    let nonempty_lines = || text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let separator = nonempty_lines().next().map_or(',', |(_, line)| find_separator(line));
    let (mut lines, mut faulty_lines) = (Vec::new(), Vec::new());
    let mut line_by_address: HashMap<String, usize> = HashMap::new();
    let has_heading =
        nonempty_lines().next().is_some_and(|(_, line)| is_heading(&split_cells(line, separator)));
    for (count, (index, line)) in nonempty_lines().skip(usize::from(has_heading)).enumerate() {
        let (line_number, cells) = (index + 1, split_cells(line, separator));
        if count >= INVITATION_LIST_LINES_MAX {
            faulty_lines.push(FaultyLine { line: line_number, fault: InvitationFault::TooMany });
            break;
        }
        let (invitation_line, mut wrong) = parse_line(line_number, &cells, &find_role);
        if let Some(invitation_line) = &invitation_line {
            match line_by_address.get(&invitation_line.address.lookup_key()) {
                Some(first) => wrong.push(InvitationFault::Repeated(*first)),
                None => {
                    line_by_address.insert(invitation_line.address.lookup_key(), line_number);
                }
            }
        }
        faulty_lines.extend(wrong.into_iter().map(|fault| FaultyLine { line: line_number, fault }));
        lines.extend(invitation_line);
    }
    if faulty_lines.is_empty() { Ok(lines) } else { Err(faulty_lines) }
}

/// Parses the cells of a line, and finds all errors. A recipient is returned if the address is valid.
fn parse_line<Role>(
    line: usize,
    cells: &[String],
    find_role: impl Fn(&str) -> Option<Role>,
) -> (Option<InvitationLine<Role>>, Vec<InvitationFault>) {
    let cell = |index: usize| cells.get(index).map(|cell| cell.trim()).unwrap_or_default();
    let mut invitation_faults = Vec::new();
    if cells.iter().skip(3).any(|cell| !cell.trim().is_empty()) {
        invitation_faults.push(InvitationFault::Columns);
    }
    let address = cell(0).parse::<EmailAddress>();
    if address.is_err() {
        invitation_faults.push(InvitationFault::Email(shorten(cell(0))));
    }
    let names = cell(1).split([' ', ',', ';', '|', '+']).filter(|name| !name.is_empty());
    let names: Vec<&str> = if cell(1).is_empty() { vec![DEFAULT_ROLE] } else { names.collect() };
    let mut roles = Vec::new();
    for name in names {
        match find_role(name) {
            Some(role) => roles.push(role),
            None => invitation_faults.push(InvitationFault::Role(shorten(name))),
        }
    }
    let language =
        Some(cell(2)).filter(|tag| !tag.is_empty()).map(|tag| (tag, Language::from_locale_list(tag)));
    if let Some((tag, None)) = language {
        invitation_faults.push(InvitationFault::Language(shorten(tag)));
    }
    let language = language.and_then(|(_, language)| language);
    (address.ok().map(|address| InvitationLine { line, address, roles, language }), invitation_faults)
}

/// The separator of a list, by its first line.
fn find_separator(line: &str) -> char {
    ['\t', ';', ','].into_iter().find(|separator| line.contains(*separator)).unwrap_or(',')
}

/// Whether the cells are the heading of a file.
fn is_heading(cells: &[String]) -> bool {
    let first = cells.first().map(|cell| cell.trim().to_lowercase()).unwrap_or_default();
    !first.contains('@')
        && ["email", "e-mail", "address", "e-mail address", "endereço", "correo"].contains(&first.as_str())
}

/// Splits a line into cells. A cell in double quotes can contain the separator.
fn split_cells(line: &str, separator: char) -> Vec<String> {
    let (mut cells, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => is_quoted = !is_quoted,
            other if other == separator && !is_quoted => cells.push(std::mem::take(&mut cell)),
            other => cell.push(other),
        }
    }
    cells.push(cell);
    cells
}

/// A value for a sentence about it.
fn shorten(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn role(name: &str) -> Option<String> {
        ["member", "admin", "clerk"].contains(&name).then(|| name.to_owned())
    }

    fn parse(text: &str) -> Result<Vec<InvitationLine<String>>, Vec<FaultyLine>> {
        parse_invitation_list(text, role)
    }

    #[test]
    fn invitation_list_has_address_roles_and_language() {
        let expected = [
            ("ana@example.com", vec!["member"], None),
            ("bruno@example.com", vec!["admin", "clerk"], Some("pt-BR")),
        ];
        for text in [
            "ana@example.com\nbruno@example.com,admin clerk,pt-BR\n",
            "email,roles,language\r\nana@example.com,,\r\nbruno@example.com,\"admin, clerk\",pt-BR\r\n",
            "\u{feff}Email;Role;Language\nana@example.com;member;\n\n bruno@example.com ;admin|clerk; pt-BR",
            "ana@example.com\tmember\nbruno@example.com\tadmin clerk\tpt-BR",
        ] {
            let lines = parse(text).unwrap();
            let parsed_lines: Vec<_> = lines
                .iter()
                .map(|it| {
                    (
                        it.address.as_str(),
                        it.roles.iter().map(String::as_str).collect::<Vec<_>>(),
                        it.language,
                    )
                })
                .collect();
            for ((address, roles, language), (other, others, tag)) in parsed_lines.iter().zip(&expected) {
                assert_eq!((address, roles), (other, others), "{text}");
                assert_eq!(*language, tag.and_then(Language::from_locale_list), "{text}");
            }
            assert_eq!(parsed_lines.len(), 2, "{text}");
        }
        assert!(parse("").unwrap().is_empty() && parse("email\n").unwrap().is_empty());
    }

    #[test]
    fn invitation_list_names_every_fault_with_its_line() {
        let faulty_lines = parse(
            "ana@example.com\nnobody,boss chief,xx\nANA@example.com,member\n\nb@example.com,admin,en,x",
        )
        .unwrap_err();
        assert_eq!(
            faulty_lines.iter().map(|it| (it.line, it.fault.clone())).collect::<Vec<_>>(),
            [
                (2, InvitationFault::Email("nobody".to_owned())),
                (2, InvitationFault::Role("boss".to_owned())),
                (2, InvitationFault::Role("chief".to_owned())),
                (2, InvitationFault::Language("xx".to_owned())),
                (3, InvitationFault::Repeated(1)),
                (5, InvitationFault::Columns),
            ]
        );
    }

    #[test]
    fn invitation_list_is_bounded() {
        let line = |number: usize| format!("user{number}@example.com\n");
        let longest_list: String = (0..INVITATION_LIST_LINES_MAX).map(line).collect();
        assert_eq!(parse(&longest_list).unwrap().len(), INVITATION_LIST_LINES_MAX);
        let faulty_lines = parse(&format!("{longest_list}one-more@example.com")).unwrap_err();
        assert_eq!(faulty_lines[0].fault, InvitationFault::TooMany);
    }

    proptest! {
        #[test]
        fn invitation_list_parsing_yields_a_valid_list_or_faults_for_any_text(text in "(?s).{0,200}") {
            match parse(&text) {
                Ok(lines) => prop_assert!(lines.iter().all(|it| !it.roles.is_empty())),
                Err(faults) => prop_assert!(!faults.is_empty()),
            }
        }
    }
}
