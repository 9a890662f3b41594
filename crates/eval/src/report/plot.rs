//! Plots as inline SVG: no script, no other file.

use anyhow::Result;
use plotters::prelude::*;

use crate::summary::{Tally, share, wilson};

/// Colours of runs, distinguishable in grey.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0x2b, 0x6c, 0xb0),
    RGBColor(0xdd, 0x6b, 0x20),
    RGBColor(0x2f, 0x85, 0x5a),
    RGBColor(0x80, 0x5a, 0xd5),
    RGBColor(0xb8, 0x32, 0x80),
    RGBColor(0x4a, 0x55, 0x68),
];
const SIZE: (u32, u32) = (720, 300);
const FONT: &str = "sans-serif";
const GRID: RGBColor = RGBColor(0xcc, 0xcc, 0xcc);
/// The share of a group's width that its bars take.
const FILLED: f64 = 0.8;

fn colour(place: usize) -> RGBColor {
    COLOURS[place % COLOURS.len()]
}

/// The colour of the n-th run, as CSS writes it.
pub fn css_colour(place: usize) -> String {
    let RGBColor(red, green, blue) = colour(place);
    format!("rgb({red}, {green}, {blue})")
}

/// Groups of bars: accuracy of each run in each group, with 95 % intervals.
pub fn bars(groups: &[(String, Vec<Tally>)]) -> Result<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut chart = ChartBuilder::on(&area)
            .margin(8)
            .x_label_area_size(28)
            .y_label_area_size(48)
            .build_cartesian_2d(0.0..groups.len().max(1) as f64, 0.0..1.0)?;
        // a group's name is centred below it
        let name = |at: &f64| {
            let group = groups.get(at.floor() as usize).filter(|_| at.fract() > 0.1);
            group.map_or_else(String::new, |(name, _)| name.clone())
        };
        chart
            .configure_mesh()
            .disable_x_mesh()
            .axis_style(GRID)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .label_style((FONT, 11))
            .x_labels(2 * groups.len() + 1)
            .x_label_formatter(&name)
            .y_label_formatter(&per_cent)
            .draw()?;
        for (place, (_, tallies)) in groups.iter().enumerate() {
            let width = FILLED / tallies.len().max(1) as f64;
            for (run, tally) in tallies.iter().enumerate() {
                let left = place as f64 + (1.0 - FILLED) / 2.0 + width * run as f64;
                let corners = [(left, 0.0), (left + width * 0.95, tally.accuracy())];
                let bar = Rectangle::new(corners, colour(run).filled());
                chart.draw_series([bar])?;
                chart.draw_series([interval(left + width * 0.475, tally)])?;
            }
        }
        area.present()?;
    }
    Ok(inline(svg))
}

/// A run as a point of the plot of accuracy against tokens.
pub struct Point {
    /// Its counts.
    pub tally: Tally,
    /// Mean tokens per question, prompts and replies together.
    pub tokens: f64,
}

/// Accuracy against mean tokens per question, with 95 % intervals; the runs in their colours.
pub fn scatter(points: &[Point]) -> Result<String> {
    let mut svg = String::new();
    {
        let most = points.iter().map(|p| p.tokens).fold(1.0, f64::max) * 1.1;
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut chart = ChartBuilder::on(&area)
            .margin(8)
            .x_label_area_size(40)
            .y_label_area_size(48)
            .build_cartesian_2d(0.0..most, 0.0..1.0)?;
        chart
            .configure_mesh()
            .axis_style(GRID)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .label_style((FONT, 11))
            .x_label_formatter(&|tokens| format!("{tokens:.0}"))
            .y_label_formatter(&per_cent)
            .x_desc("tokens per question")
            .draw()?;
        for (run, Point { tally, tokens }) in points.iter().enumerate() {
            let at = (*tokens, share(tally.right, tally.asked));
            chart.draw_series([interval(*tokens, tally)])?;
            chart.draw_series([Circle::new(at, 6, colour(run).filled())])?;
        }
        area.present()?;
    }
    Ok(inline(svg))
}

/// An element within a page needs no namespace.
fn inline(svg: String) -> String {
    svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1)
}

/// The 95 % interval of an accuracy, drawn at `x`.
fn interval(x: f64, tally: &Tally) -> PathElement<(f64, f64)> {
    let (low, high) = wilson(tally.right, tally.asked);
    PathElement::new([(x, low), (x, high)], BLACK)
}

fn per_cent(share: &f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plots_stay_well_formed_with_hostile_names_and_no_data() {
        let tally = Tally { asked: 4, right: 2, ..Tally::default() };
        let svg = bars(&[("x<&".to_owned(), vec![tally, Tally::default()])]).expect("drawn");
        assert!(svg.contains("x&lt;&amp;") && svg.trim_end().ends_with("</svg>"), "{svg}");
        assert!(!svg.contains("NaN"));
        for points in [vec![], vec![Point { tally, tokens: 0.0 }]] {
            let none = scatter(&points).expect("drawn");
            assert!(none.trim_end().ends_with("</svg>") && !none.contains("NaN"));
        }
    }
}
