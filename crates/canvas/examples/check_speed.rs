//! Measures the check of typical messages: `cargo run --release -p canvas --example check_speed`.

use std::hint::black_box;
use std::time::Instant;

use json::Value;

/// Checks of each message.
const ROUNDS: u32 = 20_000;

fn main() {
    for entry in &canvas::catalog().components {
        let message = format!(
            r#"{{"type":"ui","agentId":"a","payload":{{"component":"{}","data":{}}}}}"#,
            entry.name,
            entry.example.to_json()
        );
        let message = Value::parse(&message).expect("JSON");
        let copies: Vec<Value> = (0..ROUNDS).map(|_| message.clone()).collect();
        let started = Instant::now();
        for copy in copies {
            black_box(canvas::check(copy, "c").is_ok());
        }
        let each = started.elapsed() / ROUNDS;
        println!("{:<10} {each:?}", entry.name);
    }
}
