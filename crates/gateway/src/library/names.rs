//! Names of attachments: ids made from the content, and plain file names.

use documents::ContentId;
use store::{AttachmentId, StoreError};

/// Returns an attachment id of twenty letters and digits. The same file under the same name has the same id, so that
/// repeating a request changes nothing.
pub fn derived_attachment_id(
    file: &[u8],
    name: &str,
    end_user: Option<&str>,
    origin: Option<&str>,
) -> Result<AttachmentId, StoreError> {
    const SIGNS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let parts = [
        ContentId::of(file).to_string(),
        file_name(name),
        end_user.unwrap_or_default().to_owned(),
        origin.unwrap_or_default().to_owned(),
    ];
    let hash = ContentId::of(parts.join("\0").as_bytes()).to_string();
    let half = |range| u128::from_str_radix(&hash[range], 16).unwrap_or_default();
    let halves = [half(0..32), half(32..64)];
    let sign = |at: usize| {
        let word = halves[at % 2] >> (6 * (at / 2));
        char::from(SIGNS[usize::try_from(word % 62).unwrap_or_default()])
    };
    AttachmentId::new(&(0..20).map(sign).collect::<String>())
}

/// Longest file name in bytes.
const MAX_NAME: usize = 255;
/// Longest file extension that is kept when a name is shortened, in bytes.
const MAX_EXTENSION: usize = 16;

/// Returns the plain file name: without folders and control characters, shortened to the longest allowed name.
pub fn file_name(given: &str) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last.chars().filter(|char| !char.is_control()).collect();
    let name = name.trim();
    if matches!(name, "" | "." | "..") {
        return "document".to_owned();
    }
    if name.len() <= MAX_NAME {
        return name.to_owned();
    }
    let extension = name.rfind('.').map(|dot| &name[dot..]);
    let extension = extension.filter(|extension| extension.len() <= MAX_EXTENSION);
    let extension = extension.unwrap_or_default();
    let kept = name.floor_char_boundary(MAX_NAME - extension.len());
    format!("{}{extension}", &name[..kept])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_lose_folders_control_characters_and_excess_length() {
        for (given, name) in [
            ("report.pdf", "report.pdf"),
            ("rapport é.pdf", "rapport é.pdf"),
            ("../../etc/passwd", "passwd"),
            ("C:\\papers\\tide.txt", "tide.txt"),
            ("a\u{1b}[2J\nb\u{85}.md", "a[2Jb.md"),
            ("papers/", "document"),
            ("..", "document"),
            (" ", "document"),
            ("", "document"),
        ] {
            assert_eq!(file_name(given), name, "{given:?}");
        }
        let long = file_name(&format!("{}.pdf", "é".repeat(5_000)));
        assert!(long.len() <= 255 && long.ends_with("é.pdf"), "{long}");
        let dots = file_name(&format!("a.{}", "b".repeat(5_000)));
        assert_eq!(dots.len(), 255);
    }
}
