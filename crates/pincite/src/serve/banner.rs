//! Banner that a server prints when it has started: URL, data, agents and a command to try.

use std::env;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use agents::demo;
use anstyle::Style;

use crate::cli::LogFormat;
use crate::command_error::note;
use crate::config::DEMO;
use crate::samples;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// Content of the banner.
pub(super) struct StartBanner<'a> {
    pub(super) address: SocketAddr,
    /// Data directory; `None` if the data is in memory.
    pub(super) data: Option<&'a Path>,
    /// Configuration file that was read.
    pub(super) config: Option<&'a Path>,
    /// Agents, the default one first.
    pub(super) agents: &'a [String],
    /// True if the sample library is there.
    pub(super) has_samples: bool,
    /// True if requests need a key.
    pub(super) needs_key: bool,
}

impl StartBanner<'_> {
    /// Prints the banner to stderr.
    pub(super) fn show(&self, format: LogFormat) {
        note(&match format {
            LogFormat::Json => self.json(),
            LogFormat::Text => self.text(&program_name()),
        });
    }

    fn json(&self) -> String {
        let banner = json::Value::from([
            ("event", "started".into()),
            ("version", env!("CARGO_PKG_VERSION").into()),
            ("url", self.url().into()),
            ("data", self.data().into()),
            ("agents", self.agents.join(",").into()),
        ]);
        banner.to_json()
    }

    fn text(&self, program: &str) -> String {
        let (version, url) = (env!("CARGO_PKG_VERSION"), self.url());
        let mut lines = vec![
            format!("{BOLD}pincite {version}{BOLD:#}  {url}"),
            format!("  data    {}", self.data()),
            match self.config {
                Some(file) => format!("  config  {}", file.display()),
                None => format!(
                    "  config  {DIM}defaults; `{program} config init` writes a pincite.toml{DIM:#}"
                ),
            },
        ];
        for agent in self.agents {
            lines.push(format!("  agent   {url}/agents/{agent}"));
        }
        if self.has_samples {
            for question in samples::QUESTIONS {
                lines.push(format!("  ask     {question}"));
            }
        }
        let demo = self.agents.iter().find(|agent| *agent == DEMO);
        let demo = demo.filter(|_| !self.has_samples);
        if let Some(agent) = demo.or(self.agents.first()) {
            let question = match demo {
                Some(_) => demo::QUESTION,
                None if self.has_samples => samples::QUESTIONS[0],
                None => "What do the documents say?",
            };
            let header = match self.needs_key {
                true => " --header 'Authorization: Bearer KEY'",
                false => "",
            };
            lines.push(format!(
                "  try     {program} stream run {url}/agents/{agent}{header} --message '{question}'"
            ));
        }
        if self.needs_key {
            lines.push(format!(
                "          {DIM}KEY is the secret that `{program} keys create NAME` prints{DIM:#}"
            ));
        }
        lines.join("\n")
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn data(&self) -> String {
        match self.data {
            Some(data) => data.display().to_string(),
            None => "in memory".to_owned(),
        }
    }
}

/// Returns the command that starts this program: `pincite` if the shell finds it, otherwise its path.
fn program_name() -> String {
    let own = env::current_exe()
        .ok()
        .and_then(|own| fs::canonicalize(own).ok());
    let started = env::args_os().next().map(PathBuf::from);
    command_for(own.as_deref(), started, env::var_os("PATH").as_deref())
}

fn command_for(
    own: Option<&Path>,
    started: Option<PathBuf>,
    path: Option<&std::ffi::OsStr>,
) -> String {
    let mut folders = path.map(env::split_paths).into_iter().flatten();
    let found = folders.find_map(|folder| fs::canonicalize(folder.join("pincite")).ok());
    if own.is_some() && found.as_deref() == own {
        return "pincite".to_owned();
    }
    // A name without a folder would start the other program that the shell finds.
    let started = started.filter(|started| started.components().count() > 1);
    let path = started.or(own.map(Path::to_path_buf));
    let path = path.map_or_else(|| "pincite".to_owned(), |path| path.display().to_string());
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "/._-+@%:,~".contains(char);
    match path.chars().all(is_plain) {
        true => path,
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn banner(agents: &[&str], needs_key: bool) -> String {
        let agents: Vec<String> = agents.iter().map(|agent| (*agent).to_owned()).collect();
        let banner = StartBanner {
            address: "127.0.0.1:8787".parse().expect("an address"),
            data: None,
            config: None,
            agents: &agents,
            has_samples: false,
            needs_key,
        };
        anstream::adapter::strip_str(&banner.text("./pincite")).to_string()
    }

    #[test]
    fn suggests_a_command_for_an_agent() {
        let demo = banner(&["demo", "law"], false);
        let tried = demo.lines().last().expect("a line");
        assert_eq!(
            tried,
            "  try     ./pincite stream run http://127.0.0.1:8787/agents/demo --message 'What happened to the harbour of Nordvik?'"
        );
        let law = banner(&["law"], false);
        assert!(
            law.contains(
                "try     ./pincite stream run http://127.0.0.1:8787/agents/law --message '"
            ),
            "{law}"
        );
        let keyed = banner(&["demo"], true);
        assert!(
            keyed.contains("/agents/demo --header 'Authorization: Bearer KEY' --message")
                && keyed.contains("./pincite keys create"),
            "{keyed}"
        );
    }

    #[test]
    fn names_the_program_by_a_command_that_starts_it() {
        let own = fs::canonicalize(env::current_exe().expect("this test")).expect("it is there");
        let folder = own.parent().expect("a folder").join("program_name");
        fs::create_dir_all(&folder).expect("a folder");
        let found = folder.join("pincite");
        let _ = fs::remove_file(&found);
        let path = env::join_paths([Path::new("/nowhere"), &folder]).expect("a path");
        let command = |started: &str| command_for(Some(&own), Some(started.into()), Some(&path));
        assert_eq!(command("target/debug/pincite"), "target/debug/pincite");
        assert_eq!(command("my builds/pincite"), "'my builds/pincite'");
        assert_eq!(command("pincite"), own.display().to_string());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&own, &found).expect("a link");
            assert_eq!(command("target/debug/pincite"), "pincite");
            assert_eq!(command("pincite"), "pincite");
        }
    }
}
