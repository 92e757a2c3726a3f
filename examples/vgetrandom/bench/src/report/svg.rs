//! The results as a plot: time per byte over bytes per call, both logarithmic.
//!
//! Owns the drawing. The object is thick and warm, with room dashed in the colour of the same without; the machine's vDSO is black, the
//! system thin and cool.

use std::fmt::Write;

use crate::contestants::Side;
use crate::report::Results;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 520.0;
const LEFT: f64 = 70.0;
/// Where the legend is.
const RIGHT: f64 = 850.0;
const ABOVE: f64 = 62.0;
const BELOW: f64 = 46.0;

const WARM: &[&str] = &["#d62728", "#ff7f0e", "#b8860b", "#e377c2"];
const COOL: &[&str] = &["#1f77b4", "#2ca02c"];

/// How a contestant is drawn.
#[derive(Clone, Copy)]
struct Style {
    colour: &'static str,
    width: f64,
    dash: &'static str,
}

/// The whole file.
pub fn svg(results: &Results) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    text(&mut out, LEFT, 22.0, "start", "font-size=\"15\"", &format!("getrandom(), {}", results.machine));
    text(&mut out, LEFT, ABOVE - 14.0, "start", "font-weight=\"bold\"", "nanoseconds per byte");

    let styles = styles(results);
    let per_byte: Vec<Vec<f64>> = (0..styles.len())
        .map(|entrant| results.sizes.iter().enumerate().map(|(size, bytes)| results.time(size, entrant).median / *bytes as f64).collect())
        .collect();
    // A call that the clock can't resolve has no place on the axis.
    let positive = || per_byte.iter().flatten().copied().filter(|time| *time > 0.0);
    let (least, most) = (positive().fold(f64::MAX, f64::min), positive().fold(0.0, f64::max));
    if most > 0.0 {
        let first = results.sizes[0] as f64;
        let last = results.sizes.last().map_or(first, |last| *last as f64).max(2.0 * first);
        let x = Axis { low: first, high: last, from: LEFT, to: RIGHT - 20.0 };
        let y = Axis { low: least / 1.15, high: most * 1.15, from: HEIGHT - BELOW, to: ABOVE };
        grid(&mut out, results, &x, &y);
        curves(&mut out, results, &styles, &per_byte, &x, &y);
    }
    out.push_str("</svg>\n");
    out
}

fn styles(results: &Results) -> Vec<Style> {
    let (mut ours, mut system) = (0, 0);
    let pick = |colours: &[&'static str], number: &mut usize, width| {
        *number += 1;
        Style { colour: colours[(*number - 1) % colours.len()], width, dash: "none" }
    };
    let mut styles: Vec<Style> = Vec::new();
    for entrant in &results.entrants {
        let of = entrant.with_two_calls.and_then(|place| styles.get(place));
        styles.push(match (of, entrant.side) {
            (Some(of), _) => Style { dash: "6 3", ..*of },
            (None, Side::Ours) => pick(WARM, &mut ours, 2.6),
            (None, Side::Machine) => Style { colour: "#000000", width: 2.2, dash: "none" },
            (None, Side::System) => pick(COOL, &mut system, 1.4),
        });
    }
    styles
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

/// Bytes by a unit that leaves a small number.
fn bytes(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

fn grid(out: &mut String, results: &Results, x: &Axis, y: &Axis) {
    for value in decades(y.low, y.high) {
        let at = y.at(value);
        line(out, (x.from, at), (x.to, at));
        text(out, x.from - 8.0, at + 4.0, "end", "", &value.to_string());
    }
    for size in &results.sizes {
        let at = x.at(*size as f64);
        line(out, (at, y.from), (at, y.to));
        // Every other power of two has room for its name.
        if size.trailing_zeros().is_multiple_of(2) {
            text(out, at, y.from + 18.0, "middle", "", &bytes(*size));
        }
    }
    text(out, (x.from + x.to) / 2.0, y.from + 36.0, "middle", "", "bytes per call");
}

fn curves(out: &mut String, results: &Results, styles: &[Style], per_byte: &[Vec<f64>], x: &Axis, y: &Axis) {
    // The first contestants lie on top.
    for (entrant, style) in styles.iter().enumerate().rev() {
        let points = results.sizes.iter().zip(&per_byte[entrant]).filter(|(_, time)| **time > 0.0);
        let points: Vec<String> = points.map(|(size, time)| format!("{:.1},{:.1}", x.at(*size as f64), y.at(*time))).collect();
        let _ = writeln!(out, "<g>{}<title>{}</title></g>", stroke(style, &points.join(" ")), escaped(&results.entrants[entrant].name));
    }
    // In the order of the lines' right ends.
    let mut order: Vec<usize> = (0..styles.len()).collect();
    let end = |entrant: usize| per_byte[entrant].last().copied().unwrap_or(0.0);
    order.sort_by(|a, b| end(*b).total_cmp(&end(*a)));
    for (number, entrant) in order.into_iter().enumerate() {
        let at = ABOVE + 18.0 * number as f64;
        out.push_str(&stroke(&styles[entrant], &format!("{RIGHT},{at:.1} {},{at:.1}", RIGHT + 30.0)));
        out.push('\n');
        text(out, RIGHT + 38.0, at + 4.0, "start", "", &results.entrants[entrant].name);
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

    #[test]
    fn axes_are_logarithmic() {
        let axis = Axis { low: 1.0, high: 100.0, from: 0.0, to: 200.0 };
        assert_eq!([1.0, 10.0, 100.0].map(|value| axis.at(value).round()), [0.0, 100.0, 200.0]);
        assert_eq!(decades(0.4, 12.0), [0.5, 1.0, 2.0, 5.0, 10.0]);
        assert_eq!([256, 4096, 1 << 20].map(bytes), ["256 B", "4 KiB", "1 MiB"]);
    }

    #[test]
    fn every_contestant_is_drawn_and_named() {
        let drawn = svg(&crate::report::example());
        assert_eq!(drawn.matches("<polyline").count(), 6);
        assert!(drawn.contains("a &amp; b") && drawn.contains(">sse2+room<") && !drawn.contains("NaN") && !drawn.contains("inf"));
        // With room, it is the same colour dashed.
        assert_eq!((drawn.matches(WARM[0]).count(), drawn.matches("6 3").count()), (4, 2));
    }
}
