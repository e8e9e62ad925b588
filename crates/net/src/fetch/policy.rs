//! Hosts that documents may be downloaded from.

use url::Host;

use super::FetchError;

/// Hosts that documents may be downloaded from. The default allows none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FetchPolicy {
    any: bool,
    rules: Vec<HostRule>,
    trusts_named: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct HostRule {
    /// Host as in a URL: lower case, ASCII, an IPv6 address with brackets.
    host: String,
    /// True for `*.host`: subdomains, but not the host itself.
    below: bool,
    port: Option<u16>,
}

/// Text that is not a host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not a host; write tides.example, *.tides.example, tides.example:8080, or * for every public host"
)]
pub struct InvalidHost(pub String);

impl FetchPolicy {
    /// Allows nothing.
    pub fn off() -> Self {
        Self::default()
    }

    /// Allows these hosts: `HOST`, `HOST:PORT`, `*.HOST` for its subdomains, `*` for every public host.
    ///
    /// A port other than 80 and 443 must be named.
    pub fn of<H: AsRef<str>>(hosts: impl IntoIterator<Item = H>) -> Result<Self, InvalidHost> {
        let mut policy = Self::default();
        for host in hosts {
            match host.as_ref().trim() {
                "*" => policy.any = true,
                host => policy.rules.push(HostRule::parse(host)?),
            }
        }
        Ok(policy)
    }

    /// Lets hosts that are named explicitly have private addresses. Meant for command lines, on which one person
    /// names both the hosts and the URLs.
    #[must_use]
    pub fn trust_named(mut self) -> Self {
        self.trusts_named = true;
        self
    }

    /// Returns true if no host is allowed.
    pub fn is_off(&self) -> bool {
        !self.any && self.rules.is_empty()
    }

    pub(crate) fn trusts_named(&self) -> bool {
        self.trusts_named
    }

    /// Checks a host. Returns true if it was named explicitly, and false if `*` allows it.
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

impl HostRule {
    fn parse(written: &str) -> Result<Self, InvalidHost> {
        let bad = || InvalidHost(written.to_owned());
        let (below, rest) = match written.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, written),
        };
        let (host, port) = match rest.rsplit_once(':') {
            // The colons of an IPv6 address are inside brackets.
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
        let policy = FetchPolicy::of(rules).expect("hosts");
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
    fn texts_that_are_not_hosts_are_refused() {
        for bad in [
            "",
            "https://a.example",
            "a/b",
            "u@a.example",
            "a:port",
            "*.1.2.3.4",
            "a.*",
        ] {
            assert!(FetchPolicy::of([bad]).is_err(), "{bad}");
        }
        assert!(FetchPolicy::off().is_off() && !FetchPolicy::of(["*"]).expect("any").is_off());
    }
}
