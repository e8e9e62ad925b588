//! Tables in CSV, as people paste them into a message.

/// Largest number of rows that are read.
const MAX_ROWS: usize = 10_000;
/// Largest number of columns that are read.
const MAX_COLUMNS: usize = 50;

/// Table with a header.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CsvTable {
    pub(super) headers: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    /// Number of rows that were left out.
    pub(super) omitted: usize,
    /// True if a comma is the decimal sign.
    has_decimal_comma: bool,
}

impl CsvTable {
    /// Reads the table in a message: the lines from the first that has a delimiter on. Returns `None` if there are not
    /// at least a header and a row with two columns.
    pub(super) fn find(text: &str) -> Option<Self> {
        let lines: Vec<&str> = { text.lines() }
            .skip_while(|line| !line.contains([',', ';', '\t']))
            .take_while(|line| !line.trim_start().starts_with("```"))
            .collect();
        let first = *lines.first()?;
        let count = |delimiter: char| first.matches(delimiter).count();
        let delimiter = [';', '\t', ',']
            .into_iter()
            .max_by_key(|delimiter| (count(*delimiter), *delimiter != ','))?;
        let mut records = read_records(&lines.join("\n"), delimiter).into_iter();
        let headers: Vec<String> = records.next()?.into_iter().take(MAX_COLUMNS).collect();
        let width = headers.len();
        // A sentence with a comma is not a table: its lines have different numbers of cells.
        let mut rows: Vec<Vec<String>> = records.filter(|row| row.len() == width).collect();
        if width < 2 || rows.is_empty() {
            return None;
        }
        let omitted = rows.len().saturating_sub(MAX_ROWS);
        rows.truncate(MAX_ROWS);
        Some(Self {
            headers,
            rows,
            omitted,
            has_decimal_comma: delimiter == ';',
        })
    }

    /// Returns the numbers of a column, if nearly all its cells are numbers. Empty cells are `None`.
    pub(super) fn numbers(&self, column: usize) -> Option<Vec<Option<f64>>> {
        let cells = self.rows.iter().map(|row| row[column].trim());
        let mut numbers = Vec::with_capacity(self.rows.len());
        for cell in cells {
            let number = self.number(cell);
            if number.is_none() && !cell.is_empty() {
                return None;
            }
            numbers.push(number);
        }
        numbers.iter().any(Option::is_some).then_some(numbers)
    }

    /// Reads a number with a currency, a percent sign or separators of thousands.
    fn number(&self, cell: &str) -> Option<f64> {
        let kept: String = { cell.chars() }
            .filter(|it| !matches!(it, '$' | '€' | '£' | '%' | ' ' | '\u{a0}' | '\''))
            .collect();
        let plain = match self.has_decimal_comma {
            true => kept.replace('.', "").replace(',', "."),
            false => kept.replace(',', ""),
        };
        plain.parse().ok().filter(|number: &f64| number.is_finite())
    }
}

/// Splits text into records (RFC 4180). Empty lines are left out.
fn read_records(text: &str, delimiter: char) -> Vec<Vec<String>> {
    let mut records = Vec::new();
    let mut record: Vec<String> = Vec::new();
    let mut cell = String::new();
    let mut is_quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(it) = characters.next() {
        match it {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' if is_quoted => is_quoted = false,
            '"' if cell.trim().is_empty() => {
                cell.clear();
                is_quoted = true;
            }
            _ if is_quoted => cell.push(it),
            '\n' => end_record(&mut records, &mut record, &mut cell),
            '\r' => {}
            it if it == delimiter => record.push(std::mem::take(&mut cell).trim().to_owned()),
            it => cell.push(it),
        }
    }
    end_record(&mut records, &mut record, &mut cell);
    records
}

fn end_record(records: &mut Vec<Vec<String>>, record: &mut Vec<String>, cell: &mut String) {
    record.push(std::mem::take(cell).trim().to_owned());
    let ended = std::mem::take(record);
    if ended.iter().any(|cell| !cell.is_empty()) {
        records.push(ended);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_found_in_messages() {
        let text = "Please look at this:\n```csv\nMonth,Revenue\nJan,\"$1,200\"\nFeb,\"say \"\"hi\"\"\"\n```\nThanks, bye";
        let table = CsvTable::find(text).expect("a table");
        assert_eq!(table.headers, ["Month", "Revenue"]);
        assert_eq!(table.rows[0], ["Jan", "$1,200"]);
        assert_eq!(table.rows[1], ["Feb", "say \"hi\""]);
        assert_eq!(table.numbers(1), None);
        assert!(CsvTable::find("Hello, how are you").is_none());
        assert!(CsvTable::find("").is_none());
    }

    #[test]
    fn numbers_have_currencies_separators_and_gaps() {
        let table = CsvTable::find("a,b\nx,\"$1,200.5\"\ny,\nz,12%").expect("a table");
        assert_eq!(table.numbers(1), Some(vec![Some(1200.5), None, Some(12.0)]));
        let german = CsvTable::find("a;b\nx;1.200,5").expect("a table");
        assert_eq!(german.numbers(1), Some(vec![Some(1200.5)]));
        assert_eq!(german.numbers(0), None);
    }

    #[test]
    fn long_tables_are_cut_with_a_count() {
        let rows = "1,2\n".repeat(MAX_ROWS + 5);
        let table = CsvTable::find(&format!("a,b\n{rows}")).expect("a table");
        assert_eq!((table.rows.len(), table.omitted), (MAX_ROWS, 5));
    }
}
