//! Signed links: they grant read access to one page of a principal until they expire.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemars::JsonSchema;
use store::{Principal, Timestamp};

/// Secret that signs links.
#[derive(Clone)]
pub struct LinkKey([u8; 32]);

impl std::fmt::Debug for LinkKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LinkKey(…)")
    }
}

/// Query of a signed link.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
pub(crate) struct LinkSignature {
    /// Signature of a signed link.
    token: String,
    /// Expiry of a signed link, in seconds since 1970.
    expires: String,
}

/// Valid signed link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ValidLink {
    /// Signature, which is different for every path, principal and expiry.
    id: [u8; SIGNATURE_LENGTH],
    /// Time of expiry.
    pub(crate) expires: Timestamp,
}

/// Length of a signature in bytes.
const SIGNATURE_LENGTH: usize = 16;

impl LinkKey {
    /// Creates a key from 32 random bytes.
    pub fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// Returns the query of a signed link to a path: `token` and `expires`.
    ///
    /// The token contains the principal in masked form. The mask is derived from the signature.
    pub(crate) fn sign(&self, path: &str, principal: &Principal, until: Timestamp) -> String {
        let expires = until.0.div_euclid(1000).to_string();
        let name = principal.as_str().as_bytes();
        let signature = self.signature(path, name, &expires);
        let mut token = signature.to_vec();
        token.extend(self.masked(&signature, name));
        format!("token={}&expires={expires}", URL_SAFE_NO_PAD.encode(token))
    }

    /// Returns the principal and the link, or `None` if it is invalid or expired.
    pub(crate) fn open(
        &self,
        path: &str,
        signed: &LinkSignature,
        now: Timestamp,
    ) -> Option<(Principal, ValidLink)> {
        let token = URL_SAFE_NO_PAD.decode(&signed.token).ok()?;
        let (signature, masked) = token.split_at_checked(SIGNATURE_LENGTH)?;
        let signature: [u8; SIGNATURE_LENGTH] = signature.try_into().ok()?;
        let name = self.masked(&signature, masked);
        let expected = self.signature(path, &name, &signed.expires);
        // `blake3::Hash` compares in constant time.
        if blake3::hash(&expected) != blake3::hash(&signature) {
            return None;
        }
        let expires = Timestamp(signed.expires.parse::<i64>().ok()?.checked_mul(1000)?);
        if expires <= now {
            return None;
        }
        let principal = Principal::new(std::str::from_utf8(&name).ok()?).ok()?;
        let id = signature;
        Some((principal, ValidLink { id, expires }))
    }

    fn signature(&self, path: &str, name: &[u8], expires: &str) -> [u8; SIGNATURE_LENGTH] {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in [
            b"link".as_slice(),
            path.as_bytes(),
            expires.as_bytes(),
            name,
        ] {
            // Length prefixes make the encoding of the parts unambiguous.
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let mut signature = [0; SIGNATURE_LENGTH];
        hasher.finalize_xof().fill(&mut signature);
        signature
    }

    fn masked(&self, signature: &[u8; SIGNATURE_LENGTH], name: &[u8]) -> Vec<u8> {
        let mut mask = vec![0; name.len()];
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(b"mask");
        hasher.update(signature);
        hasher.finalize_xof().fill(&mut mask);
        mask.iter()
            .zip(name)
            .map(|(mask, byte)| mask ^ byte)
            .collect()
    }
}

/// Reads the parameters of a signed link from a query.
pub(crate) fn read(query: &str) -> Option<LinkSignature> {
    let value = |wanted: &str| {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let mut values = pairs.filter(|(name, _)| *name == wanted);
        values.next().map(|(_, value)| value.to_owned())
    };
    Some(LinkSignature {
        token: value("token")?,
        expires: value("expires")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_valid_for_one_path_until_they_expire() {
        let key = LinkKey::new([7; 32]);
        let ada = Principal::new("company:ada@example.com").expect("a name");
        let query = key.sign("/p/1", &ada, Timestamp(100_000));
        let signed = read(&format!("dark=1&{query}")).expect("both");
        let open = |key: &LinkKey, path, signed: &LinkSignature, at| {
            let opened = key.open(path, signed, Timestamp(at));
            opened.map(|(principal, link)| (principal, link.expires))
        };
        let opened = open(&key, "/p/1", &signed, 99_999);
        assert_eq!(opened, Some((ada, Timestamp(100_000))));
        assert_eq!(open(&key, "/p/1", &signed, 100_000), None, "too late");
        assert_eq!(open(&key, "/p/2", &signed, 1), None, "another page");
        assert_eq!(open(&LinkKey::new([8; 32]), "/p/1", &signed, 1), None);
        let later = LinkSignature {
            expires: "999999".to_owned(),
            ..signed.clone()
        };
        assert_eq!(open(&key, "/p/1", &later, 1), None, "a longer time");
        let token = URL_SAFE_NO_PAD.decode(&signed.token).expect("base64");
        for at in 0..token.len() {
            let mut changed = token.clone();
            changed[at] ^= 1;
            let changed = LinkSignature {
                token: URL_SAFE_NO_PAD.encode(changed),
                ..signed.clone()
            };
            assert_eq!(open(&key, "/p/1", &changed, 1), None, "byte {at}");
        }
        assert!(
            !token.windows(3).any(|part| part == b"ada"),
            "the principal is masked"
        );
        for odd in ["", "AAAA", "!", "AAAAAAAAAAAAAAAAAAAAAA"] {
            let odd = LinkSignature {
                token: odd.to_owned(),
                ..signed.clone()
            };
            assert_eq!(open(&key, "/p/1", &odd, 1), None);
        }
    }
}
