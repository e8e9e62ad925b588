//! What a server says when it has started: where it is, and what to try.

use std::env;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use agents::demo;
use anstyle::Style;

use crate::cli::LogFormat;
use crate::config::DEMO;
use crate::failure::note;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// A server that has started.
pub(super) struct StartBanner<'a> {
    pub(super) address: SocketAddr,
    /// Where its data is, unless in memory.
    pub(super) data: Option<&'a Path>,
    /// The configuration that was read.
    pub(super) file: Option<&'a Path>,
    pub(super) agents: &'a [String],
    /// Whether those who ask need a key.
    pub(super) needs_key: bool,
}

impl StartBanner<'_> {
    /// Says it.
    pub(super) fn show(&self, form: LogFormat) {
        note(&match form {
            LogFormat::Json => self.json(),
            LogFormat::Text => self.text(&program()),
        });
    }

    fn json(&self) -> String {
        let card = json::Value::from([
            ("event", "started".into()),
            ("version", env!("CARGO_PKG_VERSION").into()),
            ("url", self.url().into()),
            ("data", self.data().into()),
            ("agents", self.agents.join(",").into()),
        ]);
        card.to_json()
    }

    fn text(&self, program: &str) -> String {
        let (version, url) = (env!("CARGO_PKG_VERSION"), self.url());
        let mut lines = vec![
            format!("{BOLD}pincite {version}{BOLD:#}  {url}"),
            format!("  data    {}", self.data()),
            match self.file {
                Some(file) => format!("  config  {}", file.display()),
                None => format!("  config  {DIM}none; pincite.toml is read if it is there{DIM:#}"),
            },
        ];
        for agent in self.agents {
            lines.push(format!("  agent   {url}/agents/{agent}"));
        }
        let demo = self.agents.iter().find(|agent| *agent == DEMO);
        if let Some(agent) = demo.or(self.agents.first()) {
            let question = match demo {
                Some(_) => demo::QUESTION,
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
                "          {DIM}KEY is what {program} keys create NAME has printed{DIM:#}"
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

/// What this program is called on a command line: its name, if a shell finds it by that, or the path that it was
/// started by.
fn program() -> String {
    let own = env::current_exe()
        .ok()
        .and_then(|own| fs::canonicalize(own).ok());
    let started = env::args_os().next().map(PathBuf::from);
    called(own.as_deref(), started, env::var_os("PATH").as_deref())
}

fn called(own: Option<&Path>, started: Option<PathBuf>, path: Option<&std::ffi::OsStr>) -> String {
    let mut folders = path.map(env::split_paths).into_iter().flatten();
    let found = folders.find_map(|folder| fs::canonicalize(folder.join("pincite")).ok());
    if own.is_some() && found.as_deref() == own {
        return "pincite".to_owned();
    }
    // A name without a folder means what the path has, which is another.
    let started = started.filter(|started| started.components().count() > 1);
    let path = started.or(own.map(Path::to_path_buf));
    let path = path.map_or_else(|| "pincite".to_owned(), |path| path.display().to_string());
    let plain = |char: char| char.is_ascii_alphanumeric() || "/._-+@%:,~".contains(char);
    match path.chars().all(plain) {
        true => path,
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(agents: &[&str], needs_key: bool) -> String {
        let agents: Vec<String> = agents.iter().map(|agent| (*agent).to_owned()).collect();
        let card = StartBanner {
            address: "127.0.0.1:8787".parse().expect("an address"),
            data: None,
            file: None,
            agents: &agents,
            needs_key,
        };
        anstream::adapter::strip_str(&card.text("./pincite")).to_string()
    }

    #[test]
    fn there_is_something_to_try() {
        let demo = card(&["demo", "law"], false);
        let tried = demo.lines().last().expect("a line");
        assert_eq!(
            tried,
            "  try     ./pincite stream run http://127.0.0.1:8787/agents/demo --message 'What happened to the harbour of Nordvik?'"
        );
        let law = card(&["law"], false);
        assert!(
            law.contains(
                "try     ./pincite stream run http://127.0.0.1:8787/agents/law --message '"
            ),
            "{law}"
        );
        let keyed = card(&["demo"], true);
        assert!(
            keyed.contains("/agents/demo --header 'Authorization: Bearer KEY' --message")
                && keyed.contains("./pincite keys create"),
            "{keyed}"
        );
    }

    #[test]
    fn the_program_is_called_as_it_can_be_started() {
        let own = fs::canonicalize(env::current_exe().expect("this test")).expect("it is there");
        let folder = own.parent().expect("a folder").join("called");
        fs::create_dir_all(&folder).expect("a folder");
        let found = folder.join("pincite");
        let _ = fs::remove_file(&found);
        let path = env::join_paths([Path::new("/nowhere"), &folder]).expect("a path");
        let called = |started: &str| called(Some(&own), Some(started.into()), Some(&path));
        assert_eq!(called("target/debug/pincite"), "target/debug/pincite");
        assert_eq!(called("my builds/pincite"), "'my builds/pincite'");
        assert_eq!(called("pincite"), own.display().to_string());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&own, &found).expect("a link");
            assert_eq!(called("target/debug/pincite"), "pincite");
            assert_eq!(called("pincite"), "pincite");
        }
    }
}
