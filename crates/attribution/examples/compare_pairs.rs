//! Compares the pairs of a JSON Lines file, without the rest of the program: `compare_pairs attribution compare FILE`.

use std::io::{BufRead, BufReader, BufWriter, Write};

fn main() -> std::io::Result<()> {
    let file = std::env::args().next_back().unwrap_or_default();
    let mut output = BufWriter::new(std::io::stdout().lock());
    for line in BufReader::new(std::fs::File::open(file)?).lines() {
        match attribution::compare_line(&line?) {
            Ok(answer) => writeln!(output, "{answer}")?,
            Err(error) => writeln!(output, "{error}")?,
        }
    }
    output.flush()
}
