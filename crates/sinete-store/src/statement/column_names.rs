//! The names of the columns that a statement selects, as its text writes them.

/// The name of a selected column.
#[derive(Debug)]
pub(crate) struct ColumnName {
    /// Its alias, or the column as it is written, with its table: `s.id`.
    full: &'static str,
    /// The name without the table, if no other column has it.
    short: Option<&'static str>,
}

impl ColumnName {
    /// Whether it is the column of this name.
    pub(crate) fn matches(&self, name: &str) -> bool {
        self.full == name || self.short == Some(name)
    }
}

/// The words that end a select list.
const LIST_ENDS: [&str; 5] = ["FROM", "WHERE", "UNION", "ORDER", "LIMIT"];

/// The columns of the outermost `SELECT`, in order; none if there is none.
pub(super) fn parse_column_names(sql: &'static str) -> Box<[ColumnName]> {
    let names: Vec<&'static str> = select_list(sql).into_iter().map(column_name).collect();
    let short = |full: &'static str| {
        let (_, short) = full.split_once('.')?;
        let is_free = names.iter().all(|other| *other == full || without_table(other) != short);
        is_free.then_some(short)
    };
    names.iter().map(|&full| ColumnName { full, short: short(full) }).collect()
}

fn without_table(name: &str) -> &str {
    name.split_once('.').map_or(name, |(_, column)| column)
}

/// The alias of a selected item, or the item itself.
fn column_name(item: &'static str) -> &'static str {
    let is_word = |name: &str| name.bytes().all(is_name_byte);
    item.rsplit_once(" AS ").map(|(_, alias)| alias).filter(|alias| is_word(alias)).unwrap_or(item)
}

const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The items between `SELECT` and `FROM`, split at commas outside of parentheses and string literals.
fn select_list(sql: &'static str) -> Vec<&'static str> {
    let bytes = sql.as_bytes();
    let mut items = Vec::new();
    let (mut start, mut depth, mut is_text, mut index) = (None, 0_u32, false, 0);
    while let Some(byte) = bytes.get(index) {
        match byte {
            b'\'' => is_text = !is_text,
            _ if is_text => {}
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                items.extend(start.replace(index + 1).map(|start| sql[start..index].trim()));
                // Commas before the list separate common table expressions.
                start = start.filter(|_| !items.is_empty());
            }
            _ if depth == 0 && is_name_byte(*byte) => {
                let length = bytes[index..].iter().take_while(|byte| is_name_byte(**byte)).count();
                match (&sql[index..index + length], start) {
                    ("SELECT", None) => start = Some(index + length),
                    ("DISTINCT", Some(_)) if items.is_empty() => start = Some(index + length),
                    (word, Some(start)) if LIST_ENDS.contains(&word) => {
                        items.push(sql[start..index].trim());
                        return items;
                    }
                    _ => {}
                }
                index += length - 1;
            }
            _ => {}
        }
        index += 1;
    }
    items.extend(start.map(|start| sql[start..].trim()));
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full_names(sql: &'static str) -> Vec<&'static str> {
        parse_column_names(sql).iter().map(|name| name.full).collect()
    }

    #[test]
    fn column_names_are_aliases_or_columns_as_written() {
        let sql = "SELECT a.id, CASE WHEN x IN ('a, b', 'FROM') THEN 1 ELSE 0 END AS works, \
                   CAST(length(y) AS BIGINT), (SELECT max(b), 2 FROM c) AS most FROM d a, e WHERE f = ?1";
        assert_eq!(full_names(sql), ["a.id", "works", "CAST(length(y) AS BIGINT)", "most"]);
        assert_eq!(full_names("SELECT DISTINCT a, b FROM c"), ["a", "b"]);
        assert_eq!(full_names("SELECT 1"), ["1"]);
        assert_eq!(full_names("SELECT a UNION ALL SELECT b FROM c"), ["a"]);
        assert_eq!(
            full_names("WITH x (a, b) AS (SELECT 1, 2), y AS (SELECT 3) SELECT c, d FROM x, y"),
            ["c", "d"]
        );
        assert_eq!(full_names("DELETE FROM a WHERE b = ?1"), [""; 0]);
    }

    #[test]
    fn column_names_without_a_table_are_unique() {
        let names = parse_column_names("SELECT a.id, a.name, b.id, a.name, c AS kind, d.kind FROM e");
        let matching = |name: &str| names.iter().position(|column_name| column_name.matches(name));
        assert_eq!(matching("id"), None);
        assert_eq!((matching("a.id"), matching("b.id")), (Some(0), Some(2)));
        assert_eq!(matching("name"), Some(1));
        assert_eq!((matching("kind"), matching("d.kind")), (Some(4), Some(5)));
    }
}
