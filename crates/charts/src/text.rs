//! Charts of characters, for psql and other terminals.

use textplots::{Chart, Plot, Shape};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::Kind;
use crate::data::{Data, Scale, Series, date, number};

/// Eighths of a character's width, and of its height.
const ACROSS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
const UP: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Lines of a plot.
const HEIGHT: u32 = 12;

/// The chart in lines of at most `width` characters.
pub fn draw(data: &Data, width: usize) -> String {
    let mut lines = vec![shortened(&data.title, width)];
    match data.kind {
        Kind::Bar => lines.extend(bars(data, width)),
        Kind::Spark => lines.extend(data.series.iter().map(|series| spark(data, series, width))),
        Kind::Line | Kind::Points => lines.extend(plots(data, width)),
    }
    if data.left_out > 0 {
        lines.push(format!("({} more are not shown)", data.left_out));
    }
    if data.cut {
        lines.push("(there are more rows than the limit)".to_owned());
    }
    lines.join("\n")
}

fn bars(data: &Data, width: usize) -> Vec<String> {
    let several = data.series.len() > 1;
    let labels: Vec<String> = data.labels().iter().map(|l| shortened(l, width / 3)).collect();
    let names = data.series.iter().map(|s| shortened(&s.name, width / 4)).collect::<Vec<_>>();
    let longest = |texts: &[String]| texts.iter().map(|t| t.width()).max().unwrap_or(0);
    let (left, middle) = (longest(&labels), if several { longest(&names) + 1 } else { 0 });
    let values = data.series.iter().flat_map(|s| &s.values);
    let figures = values.map(|v| figure(*v).width()).max().unwrap_or(0);
    let room = width.saturating_sub(left + middle + figures + 2).max(1);
    let (low, high) = data.range();
    let unit = room as f64 / (high - low).max(f64::MIN_POSITIVE);
    let zero = (-low * unit).round() as usize;
    let mut lines = Vec::new();
    for (place, label) in labels.iter().enumerate() {
        for (row, (series, name)) in data.series.iter().zip(&names).enumerate() {
            let value = series.values[place];
            let label = if row == 0 { label.as_str() } else { "" };
            let name = if several { padded(&format!(" {name}"), middle) } else { String::new() };
            let bar = bar(value.unwrap_or(0.0), unit, zero);
            let line = format!("{}{name} {bar} {}", padded(label, left), figure(value));
            lines.push(line.trim_end().to_owned());
        }
    }
    lines
}

/// A bar to the right of zero, or to the left of it.
fn bar(value: f64, unit: f64, zero: usize) -> String {
    if value < 0.0 {
        // there are no characters that are filled from the right
        let whole = ((value.abs() * unit).round() as usize).min(zero);
        return format!("{}{}", " ".repeat(zero - whole), "█".repeat(whole));
    }
    let eighths = (value * unit * 8.0).round() as usize;
    let (whole, rest) = (eighths / 8, eighths % 8);
    let rest = rest.checked_sub(1).map(|i| ACROSS[i]);
    " ".repeat(zero) + &"█".repeat(whole) + &rest.map(String::from).unwrap_or_default()
}

/// One row of characters, lowest to highest, with its ends beside it.
fn spark(data: &Data, series: &Series, width: usize) -> String {
    let (low, high) = data.range();
    let ends = format!(" {} – {}", number(low), number(high));
    let room = width.saturating_sub(ends.width() + series.name.width() + 1).max(1);
    let values = &series.values;
    let step = values.len().div_ceil(room).max(1);
    let character = |part: &[Option<f64>]| {
        let there: Vec<f64> = part.iter().flatten().copied().collect();
        if there.is_empty() {
            return ' ';
        }
        let mean = there.iter().sum::<f64>() / there.len() as f64;
        let height = (mean - low) / (high - low).max(f64::MIN_POSITIVE) * 7.0;
        UP[(height.round() as usize).min(7)]
    };
    let line: String = values.chunks(step).map(character).collect();
    format!("{} {line}{ends}", series.name)
}

/// A plot for each series, all on one scale of the axis.
fn plots(data: &Data, width: usize) -> Vec<String> {
    let places = data.positions();
    let (from, to) =
        (places.first().copied().unwrap_or(0.0), places.last().copied().unwrap_or(1.0));
    let (from, to) = if from < to { (from, to) } else { (from - 0.5, from + 0.5) };
    let mut lines = Vec::new();
    for series in &data.series {
        let points: Vec<(f32, f32)> = places
            .iter()
            .zip(&series.values)
            // from the left end, for a day's number has more digits than an f32
            .filter_map(|(&x, y)| Some(((x - from) as f32, (*y)? as f32)))
            .collect();
        let shape = match data.kind {
            Kind::Points => Shape::Points(&points),
            _ => Shape::Lines(&points),
        };
        let dots = (width.saturating_sub(12) * 2).max(32) as u32;
        let mut chart = Chart::new(dots, HEIGHT * 4, 0.0, (to - from) as f32);
        let plot = chart.lineplot(&shape);
        plot.axis();
        plot.figures();
        let drawn = plot.to_string();
        // the last line has the axis' ends as plain numbers; their labels follow below
        let drawn = drawn.trim_end().rsplit_once('\n').map_or("", |(lines, _)| lines);
        let (low, high) = ends(&series.values);
        lines.push(format!("{}: {} to {}", series.name, number(low), number(high)));
        lines
            .extend(drawn.lines().map(|line| line.trim_end().to_owned()).filter(|l| !l.is_empty()));
    }
    let place = |n: f64| match data.scale {
        Scale::Days(_) => date(n),
        _ => number(n),
    };
    let labels = data.labels();
    let (first, last) = match &data.scale {
        Scale::Categories(_) => (
            labels.first().cloned().unwrap_or_default(),
            labels.last().cloned().unwrap_or_default(),
        ),
        _ => (place(from), place(to)),
    };
    lines.push(format!("{}: {first} to {last}", data.axis));
    lines
}

fn ends(values: &[Option<f64>]) -> (f64, f64) {
    let there = values.iter().flatten();
    there.fold((f64::MAX, f64::MIN), |(low, high), &v| (low.min(v), high.max(v)))
}

fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "NULL".to_owned(), number)
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// At most `width` characters of a terminal.
fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut taken = 0;
    let fits = |c: &char| {
        taken += c.width().unwrap_or(0);
        taken < width
    };
    text.chars().take_while(fits).chain(['…']).collect()
}
