//! ServerProcess process that the benchmark starts, observes and ends.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use nix::unistd::{SysconfVar, sysconf};

use crate::harness::peak_rss_mb_of;

/// Timeout until a server listens.
const START_LIMIT: Duration = Duration::from_secs(60);

/// Running server; dropping it ends the process.
#[derive(Debug)]
pub struct ServerProcess {
    child: Child,
    url: String,
    ticks_per_second: f64,
}

impl ServerProcess {
    /// Starts a server that prints its URL in the first line of its output.
    pub fn start(command: &mut Command) -> Result<Self, String> {
        command.stdout(Stdio::piped());
        Self::started(command, |child| {
            child
                .stdout
                .take()
                .map(|out| Box::new(out) as Box<dyn Read + Send>)
        })
    }

    /// Starts `pincite serve --log-format json`, which prints its URL on stderr.
    pub fn start_card(command: &mut Command) -> Result<Self, String> {
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        Self::started(command, |child| {
            child
                .stderr
                .take()
                .map(|out| Box::new(out) as Box<dyn Read + Send>)
        })
    }

    fn started(
        command: &mut Command,
        output: impl FnOnce(&mut Child) -> Option<Box<dyn Read + Send>>,
    ) -> Result<Self, String> {
        let name = command.get_program().to_string_lossy().into_owned();
        let ticks = sysconf(SysconfVar::CLK_TCK).ok().flatten();
        let mut child = command
            .stdin(Stdio::null())
            .spawn()
            .map_err(|e| format!("cannot start {name}: {e}"))?;
        let output = output(&mut child);
        let mut server = Self {
            child,
            url: String::new(),
            ticks_per_second: ticks.ok_or("no unit for CPU times")? as f64,
        };
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let mut lines = BufReader::new(output.unwrap_or_else(|| Box::new(std::io::empty())));
            let mut line = String::new();
            let _ = lines.read_line(&mut line);
            let _ = sender.send(line);
            // Further output is read, so that the pipe does not fill up.
            let _ = std::io::copy(&mut lines, &mut std::io::sink());
        });
        let line = receiver
            .recv_timeout(START_LIMIT)
            .map_err(|_| format!("{name} did not print its URL"))?;
        let mut words = line.split(|c: char| c.is_whitespace() || c == '"');
        let url = words.find(|word| word.starts_with("http://"));
        server.url = url
            .ok_or(format!("{name} ended before it printed its URL"))?
            .to_owned();
        Ok(server)
    }

    /// Returns the URL of the server.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the CPU seconds of all threads of the process and of its children.
    pub fn cpu_seconds(&self) -> Result<f64, String> {
        Ok(ticks_of(self.child.id())? as f64 / self.ticks_per_second)
    }

    /// Returns the highest resident memory so far, in MB.
    pub fn peak_rss_mb(&self) -> Result<f64, String> {
        peak_rss_mb_of(&self.child.id().to_string())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // An error means that the process has ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the clock ticks of a process and all its descendants.
fn ticks_of(process: u32) -> Result<u64, String> {
    let path = format!("/proc/{process}/stat");
    let stat = fs::read_to_string(&path).map_err(|e| format!("cannot read {path}: {e}"))?;
    let own = ticks(&stat).ok_or(format!("no CPU time in {path}"))?;
    // A child that ends between the two reads is included in the next figure of its parent.
    let children = children_of(process).into_iter().map(ticks_of);
    Ok(own + children.filter_map(Result::ok).sum::<u64>())
}

fn children_of(process: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{process}/task"));
    let tasks = tasks.into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let ids = |list: String| -> Vec<u32> {
        let numbers = list.split_whitespace().map(str::parse);
        numbers.filter_map(Result::ok).collect()
    };
    lists.flat_map(ids).collect()
}

/// Parses the user and system time of a `stat` line, including that of children that have ended.
fn ticks(stat: &str) -> Option<u64> {
    // The name in parentheses may contain spaces and parentheses.
    let (_, fields) = stat.rsplit_once(')')?;
    let times: Vec<u64> = fields
        .split_whitespace()
        .skip(11)
        .take(4)
        .map_while(|field| field.parse().ok())
        .collect();
    (times.len() == 4).then(|| times.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::ticks;

    #[test]
    fn adds_the_four_cpu_times() {
        let stat = "7 (a (odd) name) S 1 7 7 0 -1 4194560 9 0 0 0 100 20 3 4 20 0 1 0 5";
        assert_eq!(ticks(stat), Some(127));
        assert_eq!(ticks("7 (short) S 1"), None);
    }
}
