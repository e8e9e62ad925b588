//! Measures the check of messages: `cargo run --release -p canvas --example validation_speed`.

use std::time::Instant;

use json::Value;

fn main() {
    let chart = format!(
        r#"{{"component":"chart","data":{{"title":"Revenue","chartType":"line","labels":[{}],"datasets":[{}]}}}}"#,
        (1..=12)
            .map(|it| format!("\"M{it}\""))
            .collect::<Vec<_>>()
            .join(","),
        [r#"{"label":"S","data":[1,2,3,4,5,6,7,8,9,10,11,12],"color":"hsl(var(--chart-1))"}"#; 3]
            .join(",")
    );
    let table = |rows: usize| {
        let rows = vec![r#"["Jan","$10,000",100,true]"#; rows].join(",");
        format!(
            r#"{{"component":"table","data":{{"title":"T","headers":["a","b","c","d"],"rows":[{rows}],"sortable":true}}}}"#
        )
    };
    let form = r#"{"component":"form","data":{"title":"F","fields":[
        {"name":"a","label":"Name","type":"text","required":true,"validation":{"pattern":"[A-Z].*"}},
        {"name":"b","label":"Channel","type":"select","options":["x","y"]}],"onSubmitActionId":"s"}}"#;
    let cases = [
        (
            "text",
            "text",
            r#"{"text":"I have analysed your data.","sentiment":"positive"}"#.to_owned(),
        ),
        ("chart, 3 series of 12", "ui", chart),
        ("table, 25 rows of 4", "ui", table(25)),
        ("form, 2 fields", "ui", form.to_owned()),
        ("table, 10,000 rows of 4", "ui", table(10_000)),
    ];
    for (name, kind, payload) in cases {
        let text = format!(r#"{{"type":"{kind}","agentId":"a","payload":{payload}}}"#);
        let message = Value::parse(&text).expect("JSON");
        let rounds = (4_000_000 / text.len()).clamp(10, 20_000);
        let copies: Vec<Value> = vec![message; rounds];
        let start = Instant::now();
        for copy in copies {
            std::hint::black_box(canvas::check(copy, "c").expect("valid"));
        }
        let each = start.elapsed() / u32::try_from(rounds).expect("a small number");
        #[allow(clippy::print_stdout)]
        {
            println!("{name}: {:.1} µs", each.as_secs_f64() * 1e6);
        }
    }
}
