//! Plots as inline SVG: no script, no other file.

use std::fmt::Write;

use crate::summary::{Tally, share, wilson};

/// Colours of runs, told apart also in grey.
const COLOURS: [&str; 6] = ["#2b6cb0", "#dd6b20", "#2f855a", "#805ad5", "#b83280", "#4a5568"];

/// The colour of the n-th run.
pub fn colour(place: usize) -> &'static str {
    COLOURS[place % COLOURS.len()]
}

/// Text made safe for HTML and SVG.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 48.0;
const BOTTOM: f64 = 40.0;
const TOP: f64 = 16.0;

fn y(fraction: f64) -> f64 {
    TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - fraction)
}

/// The frame with a scale of per cent.
fn frame(title: &str) -> String {
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{0}\"><title>{0}</title>",
        escape(title)
    );
    for step in 0..=5 {
        let (fraction, at) = (f64::from(step) / 5.0, y(f64::from(step) / 5.0));
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{WIDTH}\" y2=\"{at:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{:.0} %</text>",
            LEFT - 6.0,
            at + 4.0,
            fraction * 100.0
        );
    }
    out
}

/// Groups of bars: accuracy of each run in each group, with 95 % intervals.
pub fn bars(title: &str, groups: &[(String, Vec<Tally>)]) -> String {
    let mut out = frame(title);
    let room = (WIDTH - LEFT) / groups.len().max(1) as f64;
    for (place, (name, tallies)) in groups.iter().enumerate() {
        let start = LEFT + room * place as f64 + room * 0.1;
        let width = room * 0.8 / tallies.len().max(1) as f64;
        for (run, tally) in tallies.iter().enumerate() {
            bar(&mut out, start + width * run as f64, width, run, tally);
        }
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            start + room * 0.4,
            HEIGHT - BOTTOM + 18.0,
            escape(name)
        );
    }
    out + "</svg>"
}

fn bar(out: &mut String, x: f64, width: f64, run: usize, tally: &Tally) {
    let (low, high) = wilson(tally.right, tally.asked);
    let (top, foot) = (y(tally.accuracy()), y(0.0));
    let middle = x + width / 2.0;
    let _ = write!(
        out,
        "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\">\
         <title>{} of {} right</title></rect>\
         <line class=\"whisker\" x1=\"{middle:.1}\" y1=\"{:.1}\" x2=\"{middle:.1}\" y2=\"{:.1}\"/>",
        (width - 2.0).max(1.0),
        (foot - top).max(0.0),
        colour(run),
        tally.right,
        tally.asked,
        y(low),
        y(high)
    );
}

/// A run as a point of the plot of accuracy against tokens.
pub struct Point {
    /// What the run is called.
    pub name: String,
    /// Its counts.
    pub tally: Tally,
    /// Mean tokens a question, prompts and replies together.
    pub tokens: f64,
}

/// Accuracy against mean tokens a question, with 95 % intervals.
pub fn scatter(title: &str, points: &[Point]) -> String {
    let mut out = frame(title);
    let most = points.iter().map(|p| p.tokens).fold(0.0, f64::max).max(1.0) * 1.1;
    let x = |tokens: f64| LEFT + 10.0 + (WIDTH - LEFT - 40.0) * tokens / most;
    for (run, point) in points.iter().enumerate() {
        let (low, high) = wilson(point.tally.right, point.tally.asked);
        let at = x(point.tokens);
        let height = y(share(point.tally.right, point.tally.asked));
        let _ = write!(
            out,
            "<line class=\"whisker\" x1=\"{at:.1}\" y1=\"{:.1}\" x2=\"{at:.1}\" y2=\"{:.1}\"/>\
             <circle cx=\"{at:.1}\" cy=\"{height:.1}\" r=\"6\" fill=\"{}\"><title>{}</title></circle>",
            y(low),
            y(high),
            colour(run),
            escape(&point.name)
        );
    }
    for step in 0..=4 {
        let tokens = most * f64::from(step) / 4.0;
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{tokens:.0}</text>",
            x(tokens),
            HEIGHT - BOTTOM + 18.0
        );
    }
    let _ = write!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">tokens a question</text></svg>",
        (WIDTH + LEFT) / 2.0,
        HEIGHT - 4.0
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plots_stay_well_formed_with_hostile_names_and_no_data() {
        let tally = Tally { asked: 4, right: 2, ..Tally::default() };
        let svg = bars("a<b", &[("x\"&".to_owned(), vec![tally, Tally::default()])]);
        assert!(svg.contains("a&lt;b") && svg.contains("x&quot;&amp;") && svg.ends_with("</svg>"));
        assert!(!svg.contains("NaN"));
        let none = scatter("none", &[Point { name: "n".into(), tally, tokens: 0.0 }]);
        assert!(none.ends_with("</svg>") && !none.contains("NaN"));
    }
}
