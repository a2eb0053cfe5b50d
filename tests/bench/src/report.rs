//! The table: each figure beside its baseline from the same run, ratios first, and whether the goal is met.

use serde_json::{Value, json};
use std::fmt::Write as _;

/// A goal for a figure.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    /// The ratio to the baseline is at least this.
    RatioAtLeast(f64),
    /// The ratio to the baseline is at most this.
    RatioAtMost(f64),
    /// The bot's figure is at most this.
    AtMost(f64),
    /// The bot's figure is at least this.
    AtLeast(f64),
    /// The bot's figure is at most this much more than the baseline's.
    AtMostOver(f64),
    /// The ratio to the baseline is within this of 1.
    Within(f64),
}

/// One line of the table.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    pub(crate) section: &'static str,
    pub(crate) what: String,
    pub(crate) unit: &'static str,
    pub(crate) bot: f64,
    pub(crate) baseline: Option<f64>,
    pub(crate) goal: Option<Goal>,
}

impl Figure {
    pub(crate) fn new(section: &'static str, what: impl Into<String>, unit: &'static str, bot: f64) -> Figure {
        Figure { section, what: what.into(), unit, bot, baseline: None, goal: None }
    }

    pub(crate) fn baseline(mut self, baseline: f64) -> Figure {
        self.baseline = Some(baseline);
        self
    }

    pub(crate) fn goal(mut self, goal: Goal) -> Figure {
        self.goal = Some(goal);
        self
    }

    fn ratio(&self) -> Option<f64> {
        self.baseline.filter(|baseline| *baseline > 0.0).map(|baseline| self.bot / baseline)
    }

    /// Whether the goal is met; `None` without a goal, or where its baseline is missing.
    fn met(&self) -> Option<bool> {
        Some(match self.goal? {
            Goal::RatioAtLeast(limit) => self.ratio()? >= limit,
            Goal::RatioAtMost(limit) => self.ratio()? <= limit,
            Goal::AtMost(limit) => self.bot <= limit,
            Goal::AtLeast(limit) => self.bot >= limit,
            Goal::AtMostOver(limit) => self.bot - self.baseline? <= limit,
            Goal::Within(share) => (self.ratio()? - 1.0).abs() <= share,
        })
    }

    fn goal_text(&self) -> String {
        match self.goal {
            None => String::new(),
            Some(Goal::RatioAtLeast(limit)) => format!("≥ {limit}×"),
            Some(Goal::RatioAtMost(limit)) => format!("≤ {limit}×"),
            Some(Goal::AtMost(limit)) => format!("≤ {}", with_unit(limit, self.unit)),
            Some(Goal::AtLeast(limit)) => format!("≥ {}", with_unit(limit, self.unit)),
            Some(Goal::AtMostOver(limit)) => format!("≤ +{}", with_unit(limit, self.unit)),
            Some(Goal::Within(share)) => format!("± {} %", number(share * 100.0)),
        }
    }

    /// The figure as a line of the table.
    fn line(&self) -> String {
        let ratio = self.ratio().map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
        let bot = with_unit(self.bot, self.unit);
        let baseline = self.baseline.map(|value| with_unit(value, self.unit)).unwrap_or_default();
        let met = match self.met() {
            None => "",
            Some(true) => "yes",
            Some(false) => "**no**",
        };
        format!("| {}: {} | {ratio} | {bot} | {baseline} | {} | {met} |", self.section, self.what, self.goal_text())
    }

    fn json(&self) -> Value {
        json!({
            "section": self.section,
            "what": self.what,
            "unit": self.unit,
            "bot": self.bot,
            "baseline": self.baseline,
            "ratio": self.ratio(),
            "goal": self.goal.map(|_| self.goal_text()),
            "met": self.met(),
        })
    }
}

/// Everything that a run has found.
#[derive(Default)]
pub(crate) struct Report {
    figures: Vec<Figure>,
    notes: Vec<String>,
}

impl Report {
    /// Adds a line, and shows it at once on stderr: a whole run takes a while.
    pub(crate) fn add(&mut self, figure: Figure) {
        eprintln!("  {}", figure.line());
        self.figures.push(figure);
    }

    /// A sentence below the table.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    pub(crate) fn markdown(&self) -> String {
        let mut out = String::from(
            "| figure | ratio | bot | baseline | goal | met |\n| --- | ---: | ---: | ---: | ---: | --- |\n",
        );
        for figure in &self.figures {
            let _ = writeln!(out, "{}", figure.line());
        }
        for note in &self.notes {
            let _ = write!(out, "\n{note}\n");
        }
        out
    }

    pub(crate) fn json(&self) -> Value {
        json!({ "figures": self.figures.iter().map(Figure::json).collect::<Vec<_>>(), "notes": self.notes })
    }
}

/// The middle value, or the mean of the two middle ones.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

fn with_unit(value: f64, unit: &str) -> String {
    format!("{} {unit}", number(value)).trim_end().to_owned()
}

/// Three significant digits at least, thousands apart.
fn number(value: f64) -> String {
    let digits = match value.abs() {
        small if small < 10.0 => 2,
        small if small < 100.0 => 1,
        _ => 0,
    };
    let text = format!("{value:.digits$}");
    let text = if digits > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) && digit.is_ascii_digit() && out != "-" {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_their_thousands_apart() {
        let shown: Vec<String> =
            [0.123, 2.0, 31.25, 999.6, 40_000.0, 1_234_567.0, -1234.0].into_iter().map(number).collect();
        assert_eq!(shown, ["0.12", "2", "31.2", "1,000", "40,000", "1,234,567", "-1,234"]);
    }

    #[test]
    fn a_goal_is_met_or_not_and_unknown_without_its_baseline() {
        let rate = Figure::new("rate", "x", "calls/s", 80.0).goal(Goal::RatioAtLeast(0.85));
        assert_eq!(rate.met(), None);
        assert_eq!(rate.clone().baseline(90.0).met(), Some(true));
        assert_eq!(rate.baseline(100.0).met(), Some(false));
        let flat = |bot| Figure::new("instructions", "x", "", bot).baseline(100.0).goal(Goal::Within(0.02)).met();
        assert_eq!((flat(98.5), flat(103.0)), (Some(true), Some(false)));
        let start = |bot| Figure::new("start", "x", "ms", bot).baseline(4.0).goal(Goal::AtMostOver(3.0)).met();
        assert_eq!((start(6.5), start(7.5)), (Some(true), Some(false)));
    }

    #[test]
    fn the_table_has_a_line_for_each_figure_and_says_what_is_missed() {
        let mut report = Report::default();
        report.add(
            Figure::new("rate", "small, 16 connections", "calls/s", 80_000.0)
                .baseline(100_000.0)
                .goal(Goal::RatioAtLeast(0.85)),
        );
        report.note("On two cores.");
        let table = report.markdown();
        assert!(
            table.contains(
                "| rate: small, 16 connections | 0.80 | 80,000 calls/s | 100,000 calls/s | ≥ 0.85× | **no** |"
            ),
            "{table}"
        );
        assert!(table.ends_with("\nOn two cores.\n"), "{table}");
    }

    #[test]
    fn the_median_of_an_even_count_is_between() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median([]).is_nan());
    }
}
