//! Charts: stacked bars drawn as SVG on the server, without scripts and inline styles, with a table of the same numbers.
//! Shapes are stretched to the width of the page, so all text is HTML around the picture. A bar is a line as wide as the
//! style sheet says, which takes less than half the bytes of a rectangle.

use crate::locales::LocalePhrases;
use std::fmt::Write as _;

/// How wide one period is, in units of the picture.
const PERIOD_WIDTH: usize = 10;
/// How high the picture is.
const HEIGHT: u64 = 1_000;
/// How many series have a color of their own.
const COLORED_SERIES_MAX: usize = 7;

/// A chart with its table.
#[derive(Clone, Debug, Default)]
pub struct ChartBlock {
    /// The id of the section.
    pub id: String,
    /// The heading.
    pub title: String,
    /// The sentence below it; empty for none.
    pub introduction: String,
    /// The periods, oldest first.
    pub periods: Vec<String>,
    /// The series in which anything was counted.
    pub series: Vec<ChartSeries>,
    /// Whether the values of different periods can be added up.
    pub is_additive: bool,
    /// Links below the chart.
    pub links: Vec<super::block_page::BlockLink>,
}

/// A series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartSeries {
    /// The name.
    pub name: String,
    /// The value of every period.
    pub values: Vec<u64>,
}

/// A row of the table: a period, the value of every series, and their sum.
#[derive(Debug)]
pub(crate) struct ChartRow<'a> {
    pub(crate) period: &'a str,
    pub(crate) values: Vec<String>,
    pub(crate) total: String,
}

impl ChartSeries {
    /// The sum of the values.
    pub fn total(&self) -> u64 {
        self.values.iter().fold(0, |sum, value| sum.saturating_add(*value))
    }

    pub(crate) fn total_text(&self) -> String {
        group_digits(self.total())
    }

    fn value(&self, index: usize) -> u64 {
        self.values.get(index).copied().unwrap_or_default()
    }
}

impl ChartBlock {
    /// The sum over all series of one period.
    fn period_total(&self, index: usize) -> u64 {
        self.series.iter().fold(0, |sum, series| sum.saturating_add(series.value(index)))
    }

    /// The highest period and its total; of equal ones the latest.
    fn highest(&self) -> (usize, u64) {
        let totals = (0..self.periods.len()).map(|index| (index, self.period_total(index)));
        totals.max_by_key(|(_, total)| *total).unwrap_or_default()
    }

    /// The value at the upper edge.
    fn scale(&self) -> u64 {
        scale_above(self.highest().1)
    }

    /// The values at the upper edge, in the middle and at the lower edge.
    pub(crate) fn ticks(&self) -> [String; 3] {
        let top = self.scale();
        [top, top / 2, 0].map(group_digits)
    }

    pub(crate) fn has_values(&self) -> bool {
        self.highest().1 > 0
    }

    pub(crate) fn has_many_series(&self) -> bool {
        self.series.len() > 1
    }

    pub(crate) fn first_period(&self) -> &str {
        self.periods.first().map_or("", String::as_str)
    }

    pub(crate) fn last_period(&self) -> &str {
        self.periods.last().map_or("", String::as_str)
    }

    /// The accessible name.
    pub(crate) fn name(&self, phrases: &LocalePhrases) -> String {
        phrases.usage.chart(&self.title, self.first_period(), self.last_period())
    }

    /// The accessible description.
    pub(crate) fn description(&self, phrases: &LocalePhrases) -> String {
        let (index, limit) = self.highest();
        let when = self.periods.get(index).map_or("", String::as_str);
        let total = self.series.iter().fold(0, |sum: u64, series| sum.saturating_add(series.total()));
        match self.is_additive {
            true => phrases.usage.chart_text(group_digits(total), group_digits(limit), when),
            false => phrases.usage.chart_peak(group_digits(limit), when),
        }
    }

    /// The rows of the table.
    pub(crate) fn rows(&self) -> Vec<ChartRow<'_>> {
        let periods = self.periods.iter().enumerate();
        periods
            .map(|(index, period)| ChartRow {
                period: period.as_str(),
                values: self.series.iter().map(|series| group_digits(series.value(index))).collect(),
                total: group_digits(self.period_total(index)),
            })
            .collect()
    }

    /// The picture without its name and description: a path for each series, and a field for each period that shows
    /// its values when pointed at.
    pub(crate) fn shapes(&self) -> String {
        let (top, width) = (self.scale(), self.periods.len() * PERIOD_WIDTH);
        let middle = HEIGHT / 2;
        let mut svg =
            format!("<path class=\"rule\" d=\"M0 0H{width}M0 {middle}H{width}M0 {HEIGHT}H{width}\"/>");
        let mut below: Vec<u64> = vec![0; self.periods.len()];
        for (number, series) in self.series.iter().enumerate() {
            let mut path = String::new();
            for (index, floor) in below.iter_mut().enumerate() {
                let roof = floor.saturating_add(series.value(index));
                let (lower, upper) = (height_of(*floor, top), height_of(roof, top));
                *floor = roof;
                if upper > lower {
                    let (x, y) = (index * PERIOD_WIDTH + PERIOD_WIDTH / 2, HEIGHT - upper);
                    let _ = write!(path, "M{x} {y}v{}", upper - lower);
                }
            }
            let _ = write!(svg, "<path class=\"{}\" d=\"{path}\"/>", series_class(&number));
        }
        svg.push_str("<g class=\"slots\">");
        for (index, period) in self.periods.iter().enumerate() {
            let total = self.period_total(index);
            // An empty period has no bar to point at, and is in the table.
            if total == 0 {
                continue;
            }
            let (x, period, total) = (index * PERIOD_WIDTH, escape_text(period), group_digits(total));
            let field = format!("M{x} 0h{PERIOD_WIDTH}v{HEIGHT}h-{PERIOD_WIDTH}z");
            let _ = write!(svg, "<path d=\"{field}\"><title>{period}: {total}</title></path>");
        }
        svg.push_str("</g>");
        svg
    }

    /// The size of the picture.
    pub(crate) fn view_box(&self) -> String {
        format!("0 0 {} {HEIGHT}", self.periods.len() * PERIOD_WIDTH)
    }
}

/// The class that gives a series its color.
pub(crate) fn series_class(number: &usize) -> String {
    format!("c{}", number % COLORED_SERIES_MAX + 1)
}

/// The height of a value.
fn height_of(value: u64, top: u64) -> u64 {
    let height = u128::from(value) * u128::from(HEIGHT) / u128::from(top.max(1));
    u64::try_from(height).map_or(HEIGHT, |height| height.min(HEIGHT))
}

/// The lowest round number that is not below a value and has a round half.
fn scale_above(value: u64) -> u64 {
    let mut unit: u64 = 1;
    loop {
        // Half of an odd factor is whole from ten on.
        let factors: &[u64] = if unit == 1 { &[2, 4, 6, 8, 10] } else { &[2, 3, 4, 5, 6, 8, 10] };
        for factor in factors {
            match unit.checked_mul(*factor) {
                Some(top) if top >= value => return top,
                Some(_) => {}
                None => return u64::MAX,
            }
        }
        unit = unit.saturating_mul(10);
    }
}

/// A number with narrow spaces between groups of three digits, which reads the same in all languages.
pub fn group_digits(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

fn escape_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(series: &[&[u64]]) -> ChartBlock {
        let periods = series.first().map_or(0, |values| values.len());
        let series = series.iter().enumerate();
        ChartBlock {
            periods: (1..=periods).map(|day| format!("2026-11-{day:02}")).collect(),
            series: series
                .map(|(number, values)| ChartSeries { name: format!("S{number}"), values: values.to_vec() })
                .collect(),
            is_additive: true,
            ..ChartBlock::default()
        }
    }

    #[test]
    fn chart_without_values_draws_no_bar() {
        let cases: [&[&[u64]]; 3] = [&[], &[&[]], &[&[0, 0, 0]]];
        for series in cases {
            let chart = chart(series);
            assert!(!chart.has_values());
            assert!(!chart.shapes().contains("class=\"c1\" d=\"M"), "{}", chart.shapes());
            assert_eq!(chart.ticks(), ["2", "1", "0"]);
        }
    }

    #[test]
    fn chart_of_one_value_has_one_bar_at_its_height() {
        let chart = chart(&[&[1]]);
        assert!(chart.shapes().contains("<path class=\"c1\" d=\"M5 500v500\"/>"), "{}", chart.shapes());
        assert!(chart.shapes().contains("<title>2026-11-01: 1</title>"));
    }

    #[test]
    fn chart_stacks_series_and_its_table_has_the_same_numbers() {
        let chart = chart(&[&[5, 0], &[2, 10]]);
        let shapes = chart.shapes();
        assert!(shapes.contains("class=\"c1\" d=\"M5 500v500\""), "{shapes}");
        assert!(shapes.contains("class=\"c2\" d=\"M5 300v200M15 0v1000\""), "{shapes}");
        let rows: Vec<_> = chart.rows().into_iter().map(|row| (row.values, row.total)).collect();
        assert_eq!(rows[0], (vec!["5".to_owned(), "2".to_owned()], "7".to_owned()));
        assert_eq!(rows[1], (vec!["0".to_owned(), "10".to_owned()], "10".to_owned()));
        assert!(shapes.contains("2026-11-01: 7") && shapes.contains("2026-11-02: 10"));
    }

    #[test]
    fn chart_of_huge_values_stays_within_the_picture() {
        let chart = chart(&[&[u64::MAX, 1], &[u64::MAX, 0]]);
        let shapes = chart.shapes();
        assert!(shapes.contains("class=\"c1\" d=\"M5 0v1000\""), "{shapes}");
        assert!(shapes.contains("class=\"c2\" d=\"\""), "{shapes}");
        assert_eq!(chart.ticks()[0], group_digits(u64::MAX));
        assert_eq!(chart.rows()[0].total, group_digits(u64::MAX));
    }

    #[test]
    fn chart_scale_is_round_and_not_below_the_highest_value() {
        for (value, top) in [
            (0, 2),
            (1, 2),
            (2, 2),
            (3, 4),
            (9, 10),
            (11, 20),
            (21, 30),
            (100, 100),
            (282, 300),
            (999, 1_000),
        ] {
            assert_eq!(scale_above(value), top, "{value}");
        }
        assert_eq!(scale_above(u64::MAX), u64::MAX);
    }

    #[test]
    fn numbers_are_grouped_by_three_digits() {
        for (value, text) in [(0, "0"), (9_999, "9999"), (10_000, "10 000"), (1_234_567, "1 234 567")] {
            assert_eq!(group_digits(value).replace('\u{202f}', " "), text);
        }
    }

    #[test]
    fn chart_name_and_description_are_sentences_with_title_days_and_numbers() {
        let mut chart = chart(&[&[5, 0], &[2, 10]]);
        chart.title = "Sign-ins".to_owned();
        let phrases = crate::language::UiLanguage::English.phrases();
        assert_eq!(chart.name(phrases), "Sign-ins from 2026-11-01 to 2026-11-02");
        let description = chart.description(phrases);
        assert!(description.contains("Total: 17. Highest: 10, 2026-11-02."), "{description}");
    }

    #[test]
    fn chart_text_is_escaped() {
        let mut chart = chart(&[&[1]]);
        chart.periods = vec!["<b>&".to_owned()];
        assert!(chart.shapes().contains("<title>&lt;b&gt;&amp;: 1</title>"));
    }
}
