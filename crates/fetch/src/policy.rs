//! Which hosts may be asked.

use url::Host;

use crate::error::FetchError;

/// Which hosts may be asked; none to begin with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    any: bool,
    rules: Vec<Rule>,
    trusts_named: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    /// As addresses write it: in lower case, in ASCII, an IPv6 address with brackets.
    host: String,
    /// Whether hosts below it are meant, rather than itself.
    below: bool,
    port: Option<u16>,
}

/// Something that is no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no host; write tides.example, *.tides.example, tides.example:8080, or * for any public one"
)]
pub struct BadHost(pub String);

impl Policy {
    /// Nothing may be got.
    pub fn off() -> Self {
        Self::default()
    }

    /// These hosts may be asked: `HOST`, `HOST:PORT`, `*.HOST` for those below it, `*` for every public one.
    ///
    /// A port other than 80 and 443 must be named.
    pub fn of<H: AsRef<str>>(hosts: impl IntoIterator<Item = H>) -> Result<Self, BadHost> {
        let mut policy = Self::default();
        for host in hosts {
            match host.as_ref().trim() {
                "*" => policy.any = true,
                host => policy.rules.push(Rule::parse(host)?),
            }
        }
        Ok(policy)
    }

    /// A host that is named itself may also have an address that is not public. For whoever names hosts and
    /// addresses both, as on a command line.
    #[must_use]
    pub fn trust_named(mut self) -> Self {
        self.trusts_named = true;
        self
    }

    /// Whether nothing may be got.
    pub fn is_off(&self) -> bool {
        !self.any && self.rules.is_empty()
    }

    pub(crate) fn trusts_named(&self) -> bool {
        self.trusts_named
    }

    /// Whether a host may be asked; and if so, whether it was named.
    pub(crate) fn allows(&self, host: &str, port: u16) -> Result<bool, FetchError> {
        let usual = matches!(port, 80 | 443);
        let named = self.rules.iter().any(|rule| rule.matches(host, port));
        match named || (self.any && usual) {
            true => Ok(named),
            false => Err(FetchError::NotAllowed {
                place: match usual {
                    true => host.to_owned(),
                    false => format!("{host}:{port}"),
                },
            }),
        }
    }
}

impl Rule {
    fn parse(written: &str) -> Result<Self, BadHost> {
        let bad = || BadHost(written.to_owned());
        let (below, rest) = match written.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, written),
        };
        let (host, port) = match rest.rsplit_once(':') {
            // The colons of an IPv6 address stand in brackets.
            Some((host, port)) if !port.contains(']') => {
                (host, Some(port.parse().map_err(|_| bad())?))
            }
            _ => (rest, None),
        };
        if host.is_empty() || host.contains(['/', '@', '*']) {
            return Err(bad());
        }
        let host = Host::parse(host).map_err(|_| bad())?;
        if below && !matches!(host, Host::Domain(_)) {
            return Err(bad());
        }
        Ok(Self {
            host: host.to_string(),
            below,
            port,
        })
    }

    fn matches(&self, host: &str, port: u16) -> bool {
        let port_matches = match self.port {
            Some(own) => own == port,
            None => matches!(port, 80 | 443),
        };
        let host = host.strip_suffix('.').unwrap_or(host);
        let host_matches = match self.below {
            true => host
                .strip_suffix(&self.host)
                .is_some_and(|sub| sub.len() > 1 && sub.ends_with('.')),
            false => host == self.host,
        };
        port_matches && host_matches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(rules: &[&str], host: &str, port: u16) -> bool {
        let policy = Policy::of(rules).expect("hosts");
        policy.allows(host, port).is_ok()
    }

    #[test]
    fn hosts_are_allowed_by_name_and_port() {
        assert!(allows(&["Tides.Example"], "tides.example", 443));
        assert!(allows(&["tides.example"], "tides.example.", 443));
        assert!(!allows(&["tides.example"], "a.tides.example", 443));
        assert!(!allows(&["tides.example"], "tides.example", 22));
        assert!(allows(&["tides.example:8080"], "tides.example", 8080));
        assert!(!allows(&["tides.example:8080"], "tides.example", 443));
        assert!(allows(&["*.tides.example"], "a.b.tides.example", 80));
        assert!(!allows(&["*.tides.example"], "tides.example", 80));
        assert!(!allows(&["*.tides.example"], "eviltides.example", 80));
        assert!(allows(&["bücher.example"], "xn--bcher-kva.example", 443));
        assert!(allows(&["[2606:4700::1]"], "[2606:4700::1]", 443));
        assert!(allows(&["*"], "anything.example", 443));
        assert!(!allows(&["*"], "anything.example", 6379));
    }

    #[test]
    fn what_is_no_host_is_told() {
        for bad in [
            "",
            "https://a.example",
            "a/b",
            "u@a.example",
            "a:port",
            "*.1.2.3.4",
            "a.*",
        ] {
            assert!(Policy::of([bad]).is_err(), "{bad}");
        }
        assert!(Policy::off().is_off() && !Policy::of(["*"]).expect("any").is_off());
    }
}
