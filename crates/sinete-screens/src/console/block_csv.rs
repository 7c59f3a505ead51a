//! Tables of block pages as files.

use super::block_page::TableRow;

/// The rows of a table as CSV (RFC 4180). A text that a spreadsheet would take for a formula is quoted with an
/// apostrophe.
pub fn render_csv<'a>(columns: &[String], rows: impl IntoIterator<Item = &'a TableRow>) -> String {
    let field = |text: &str| {
        let guarded = match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
            true => format!("'{text}"),
            false => text.to_owned(),
        };
        format!("\"{}\"", guarded.replace('"', "\"\""))
    };
    let mut text = columns.iter().map(|column| field(column)).collect::<Vec<_>>().join(",");
    for row in rows {
        text.push_str("\r\n");
        text.push_str(&row.cells.iter().map(|cell| field(&cell.plain_text())).collect::<Vec<_>>().join(","));
    }
    text.push_str("\r\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::block_page::BlockCell;

    #[test]
    fn csv_quotes_every_field_and_guards_formulas() {
        let row = TableRow {
            cells: vec![BlockCell::text("Ana \"A\", Lda"), BlockCell::text("=1+1"), BlockCell::default()],
            button: None,
        };
        let columns = ["Name".to_owned(), "Note".to_owned(), "When".to_owned()];
        assert_eq!(
            render_csv(&columns, [&row]),
            "\"Name\",\"Note\",\"When\"\r\n\"Ana \"\"A\"\", Lda\",\"'=1+1\",\"\"\r\n"
        );
    }
}
