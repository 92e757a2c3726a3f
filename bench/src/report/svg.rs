//! The results as a plot: a panel for each way, time per byte over blocks per call, both logarithmic.
//!
//! Owns the drawing. Generated functions are thick and warm, the kernel's is black, peers are thin and cool; what one kind
//! has more of than colours differs by its dashes.

use std::fmt::Write;

use crate::field::Side;
use crate::measure::Way;
use crate::report::{Cell, Results};

const WIDTH: f64 = 1300.0;
const PANEL: f64 = 440.0;
const LEFT: f64 = 70.0;
/// Where the legend is.
const RIGHT: f64 = 880.0;
const ABOVE: f64 = 44.0;
const BELOW: f64 = 46.0;
const HEAD: f64 = 34.0;

const WARM: &[&str] = &["#d62728", "#ff7f0e", "#b8860b", "#e377c2", "#8c2d04"];
const COOL: &[&str] = &["#1f77b4", "#2ca02c", "#9467bd", "#17becf", "#08306b", "#bcbd22", "#7f7f7f", "#01665e"];
const DASHES: &[&str] = &["none", "6 3", "2 3", "8 3 2 3"];

/// How a contestant is drawn.
struct Style {
    colour: &'static str,
    width: f64,
    dash: &'static str,
}

/// The whole file.
pub fn svg(results: &Results) -> String {
    let styles = styles(results);
    let panels: Vec<(Way, Vec<&Cell>)> =
        Way::ALL.into_iter().map(|way| (way, results.of(way))).filter(|(_, cells)| !cells.is_empty()).collect();
    let height = HEAD + PANEL * panels.len() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    text(&mut out, LEFT, 22.0, "start", "font-size=\"15\"", &format!("ChaCha20, {} per byte, {}", results.unit, results.cpu));
    for (number, (way, cells)) in panels.iter().enumerate() {
        panel(&mut out, results, &styles, *way, cells, HEAD + PANEL * number as f64);
    }
    out.push_str("</svg>\n");
    out
}

fn styles(results: &Results) -> Vec<Style> {
    let (mut generated, mut peers) = (0, 0);
    let pick = |colours: &[&'static str], number: &mut usize, width| {
        let style = Style { colour: colours[*number % colours.len()], width, dash: DASHES[*number / colours.len() % DASHES.len()] };
        *number += 1;
        style
    };
    let style = |side| match side {
        Side::Generated => pick(WARM, &mut generated, 2.6),
        Side::Kernel => Style { colour: "#000000", width: 2.2, dash: "none" },
        Side::Peer => pick(COOL, &mut peers, 1.4),
    };
    results.entrants.iter().map(|entrant| entrant.side).map(style).collect()
}

/// A logarithmic axis from one place to another.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn at(&self, value: f64) -> f64 {
        self.from + (self.to - self.from) * (value / self.low).ln() / (self.high / self.low).ln()
    }
}

/// 1, 2 and 5 times the powers of ten within a range.
fn decades(low: f64, high: f64) -> Vec<f64> {
    let powers = (-3..6).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power)));
    powers.filter(|value| (low..=high).contains(value)).collect()
}

fn panel(out: &mut String, results: &Results, styles: &[Style], way: Way, cells: &[&Cell], top: f64) {
    let medians: Vec<Vec<f64>> = (0..styles.len()).map(|place| cells.iter().map(|cell| cell.time(place).median).collect()).collect();
    // A call that the clock can't resolve has no place on the axis.
    let positive = || medians.iter().flatten().copied().filter(|median| *median > 0.0);
    let (least, most) = (positive().fold(f64::MAX, f64::min), positive().fold(0.0, f64::max));
    if most == 0.0 {
        return;
    }
    let last = cells.last().map_or(2, |cell| cell.blocks).max(2) as f64;
    let x = Axis { low: cells[0].blocks.min(1) as f64, high: last, from: LEFT, to: RIGHT - 20.0 };
    let y = Axis { low: least / 1.15, high: most * 1.15, from: top + PANEL - BELOW, to: top + ABOVE };

    text(out, LEFT, top + ABOVE - 12.0, "start", "font-weight=\"bold\"", way.name());
    for value in decades(y.low, y.high) {
        let at = y.at(value);
        line(out, (x.from, at), (x.to, at));
        text(out, x.from - 8.0, at + 4.0, "end", "", &value.to_string());
    }
    for power in (0..=10).map(|power| 1 << power).filter(|blocks| f64::from(*blocks) <= last) {
        let at = x.at(f64::from(power));
        line(out, (at, y.from), (at, y.to));
        text(out, at, y.from + 18.0, "middle", "", &power.to_string());
    }
    text(out, (x.from + x.to) / 2.0, y.from + 36.0, "middle", "", "blocks of 64 bytes per call");

    // The first contestants are the generated ones: they lie on top.
    for (place, style) in styles.iter().enumerate().rev() {
        let points = cells.iter().zip(&medians[place]).filter(|(_, median)| **median > 0.0);
        let points: Vec<String> = points.map(|(cell, median)| format!("{:.1},{:.1}", x.at(cell.blocks as f64), y.at(*median))).collect();
        let _ = writeln!(out, "<g>{}<title>{}</title></g>", stroke(style, &points.join(" ")), escaped(&results.entrants[place].name));
    }
    // In the order of the lines' right ends.
    let mut order: Vec<usize> = (0..styles.len()).collect();
    let end = |place: usize| medians[place].last().copied().unwrap_or(0.0);
    order.sort_by(|a, b| end(*b).total_cmp(&end(*a)));
    let pitch = ((PANEL - ABOVE) / order.len() as f64).min(17.0);
    for (number, place) in order.into_iter().enumerate() {
        let at = top + ABOVE + pitch * number as f64;
        out.push_str(&stroke(&styles[place], &format!("{RIGHT},{at:.1} {},{at:.1}", RIGHT + 30.0)));
        out.push('\n');
        text(out, RIGHT + 38.0, at + 4.0, "start", "", &results.entrants[place].name);
    }
}

fn stroke(style: &Style, points: &str) -> String {
    format!(
        "<polyline points=\"{points}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"{}\" stroke-linejoin=\"round\"/>",
        style.colour, style.width, style.dash
    )
}

fn line(out: &mut String, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        out,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#dddddd\" stroke-width=\"1\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, more: &str, content: &str) {
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {more}>{}</text>", escaped(content));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::InstructionSet;
    use crate::report::Entrant;

    #[test]
    fn axes_are_logarithmic() {
        let axis = Axis { low: 1.0, high: 100.0, from: 0.0, to: 200.0 };
        assert_eq!([1.0, 10.0, 100.0].map(|value| axis.at(value).round()), [0.0, 100.0, 200.0]);
        assert_eq!(decades(0.4, 12.0), [0.5, 1.0, 2.0, 5.0, 10.0]);
    }

    #[test]
    fn every_contestant_is_drawn_and_named() {
        let sides = [Side::Generated, Side::Kernel, Side::Peer];
        let entrants = sides.iter().map(|side| Entrant { name: format!("<{side:?}>"), side: *side, set: InstructionSet::SSE2 }).collect();
        let cell = |blocks, scale: f64| Cell { way: Way::Cold, blocks, samples: vec![vec![scale], vec![2.0 * scale], vec![0.0]] };
        let cells = vec![cell(1, 5.0), cell(2, 3.0)];
        let results = Results { entrants, base: 0, unit: "ticks", cpu: "a & b".to_owned(), cells, cycle: vec![1.0] };
        let drawn = svg(&results);
        assert_eq!(drawn.matches("<polyline").count(), 6);
        assert!(drawn.contains("&lt;Peer&gt;") && drawn.contains("a &amp; b") && !drawn.contains("NaN") && !drawn.contains("inf"));
    }
}
