//! Tests of plots.

use super::super::report::Crowding;
use super::*;

const NAMES: [&str; 4] = ["steer", "scan_reduce", "place", "reorder"];

fn row(engine: &'static str, ns: f64, agents: usize) -> ReportRow {
    let ms = ns * agents as f64 * 1e-6;
    ReportRow {
        engine,
        runs_on: format!("some machine whose name is long, for {engine}"),
        ms_p50: ms,
        ms_min: ms * 0.9,
        ms_p95: ms * 1.3,
        million_agent_ticks: 1e3 / ns,
        ns_per_agent: ns,
        samples: 20,
        passes: NAMES.iter().map(|pass| (*pass, ms / 4.0)).collect(),
        passes_by_timestamps: engine == "gpu",
        ..ReportRow::default()
    }
}

/// The reports of a run over these counts and densities. The first engine is `faster` times as
/// fast.
pub fn reports(counts: &[usize], densities: &[Option<f32>], faster: f64) -> Vec<Report> {
    let all = counts.iter().flat_map(|count| densities.iter().map(move |k| (*count, *k)));
    let one = |(agents, density): (usize, Option<f32>)| {
        let k = f64::from(density.unwrap_or(10.0));
        let ns = 2.0 * k + 1e5 / agents as f64;
        Report {
            scene: "flock".into(),
            agents,
            processes: 1,
            seed: 1,
            processor: "Some Processor @ 2 GHz".into(),
            state: "uniform",
            density,
            ticks: 100,
            ticks_asked: 100,
            ticks_before_the_end: 111,
            uniform_neighbours: k,
            runs: 1,
            ticks_a_sample: 5,
            crowding: Some(Crowding {
                mean_neighbours: [k, 2.9 * k],
                largest_cell: [13, 93],
                sampled_agents: 0,
            }),
            rows: vec![
                row("gpu", ns / faster, agents),
                row("cpu", ns, agents),
                row("cpu1", 1.8 * ns, agents),
            ],
            ..Report::default()
        }
    };
    all.map(one).collect()
}

fn svg(counts: &[usize], densities: &[Option<f32>], faster: f64) -> String {
    charts::svg(&BenchPage::new(&reports(counts, densities, faster))).unwrap()
}

/// The attribute of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> &'a str {
    tag.split_once(&format!(" {name}=\"")).unwrap().1.split('"').next().unwrap()
}

#[test]
fn no_text_covers_another_or_leaves_the_picture() {
    let many = [100, 1000, 5000, 10_000, 20_000, 100_000, 200_000, 1_000_000, 10_000_000];
    let densities = [10.0, 30.0, 100.0, 3.0, 5.0, 50.0, 70.0, 90.0].map(Some);
    for (counts, densities, faster) in [
        (&many[..], &densities[..], 2.0),
        (&many[..], &densities[..3], 300.0),
        (&many[7..8], &densities[..], 2.0),
        (&many[3..6], &densities[..1], 300.0),
        (&many[..1], &[None], 2.0),
    ] {
        let svg = svg(counts, densities, faster);
        let height: i32 = attribute(&svg, "height").parse().unwrap();
        let mut boxes: Vec<([i32; 4], &str)> = Vec::new();
        for tag in svg.split("<text").skip(1) {
            let number = |name| attribute(tag, name).parse::<f64>().unwrap();
            let text = tag.split('>').nth(1).unwrap().split('<').next().unwrap().trim();
            let wide = charts::font(number("font-size") as u32 * 5 / 4);
            let (wide, high) = wide.font.box_size(text).unwrap();
            let (wide, high) = (wide as i32, high as i32);
            let left = match attribute(tag, "text-anchor") {
                "middle" => number("x") as i32 - wide / 2,
                "end" => number("x") as i32 - wide,
                _ => number("x") as i32,
            };
            let own = [left, number("y") as i32 - high / 2, left + wide, number("y") as i32];
            let inside = own[0] >= 0 && own[1] >= 0 && own[2] <= 1000 && own[3] <= height;
            assert!(inside, "{text} leaves the picture: {own:?}");
            for (other, second) in &boxes {
                let apart = (0..2).any(|a| own[a + 2] <= other[a] || other[a + 2] <= own[a]);
                assert!(apart, "{text} covers {second}: {own:?}, {other:?}");
            }
            boxes.push((own, text));
        }
        assert!(boxes.len() > 20);
    }
}

#[test]
fn one_count_shows_the_engines_side_by_side() {
    let heights = |svg: &str, engine: usize| -> Vec<f64> {
        let RGBColor(r, g, b) = SERIES[engine];
        let colour = format!("#{r:02X}{g:02X}{b:02X}");
        let boxes = svg.split("<rect").filter(|tag| tag.contains(&colour));
        let heights = boxes.map(|tag| attribute(tag, "height").parse::<f64>().unwrap());
        // The boxes of the legend are small.
        heights.filter(|height| *height > 20.0).collect()
    };
    let one = svg(&[1000], &[None], 2.0);
    assert!(one.contains("By engine"));
    let [gpu, cpu, cpu1] = [0, 1, 2].map(|engine| heights(&one, engine)[0]);
    // The first engine is twice as fast as the second; the third is 1.8 times as slow.
    assert!((cpu / gpu - 2.0).abs() < 0.1, "{gpu} {cpu}");
    assert!((cpu1 / cpu - 1.8).abs() < 0.05, "{cpu} {cpu1}");
    assert_eq!(heights(&svg(&[1000], &[Some(5.0), Some(10.0)], 2.0), 1).len(), 2);
}

#[test]
fn numbers_are_short() {
    let counts = [999, 1000, 12_345, 200_000, 1_000_000, 1_500_000, 100_000_000];
    let texts = counts.map(short_count).join(", ");
    assert_eq!(texts, "999, 1 k, 12.3 k, 200 k, 1 M, 1.5 M, 100 M");
    let texts = [0.0412, 2.34567, 44.67, 1234.5].map(short_number).join(", ");
    assert_eq!(texts, "0.041, 2.35, 44.7, 1234");
}

#[test]
fn every_range_of_times_has_round_numbers() {
    assert_eq!(ticks(8.0, 600.0), [10.0, 20.0, 50.0, 100.0, 200.0, 500.0]);
    assert_eq!(ticks(182.0, 583.0), [200.0, 300.0, 400.0, 500.0]);
    assert_eq!(ticks(0.3, 4e4), [1.0, 10.0, 100.0, 1e3, 1e4]);
    for (least, most) in [(255.0, 271.0), (0.02, 0.03), (99.0, 101.0), (1.0, 1.0), (3.0, 3e9)] {
        let found = ticks(least, most);
        assert!((2..=10).contains(&found.len()), "{least} to {most}: {found:?}");
    }
}
