//! PDFs of Debian packages, fetched by name.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::printed_document::PrintedDocument;

/// File to read: package, path in the package, and a description.
pub(crate) struct PackageFile {
    pub(crate) package: &'static str,
    pub(crate) path: &'static str,
    pub(crate) about: &'static str,
    /// True if a font does not identify its letters. `pdftotext` then prints codes, which cannot be
    /// compared.
    pub(crate) coded: bool,
}

const fn wanted(package: &'static str, path: &'static str, about: &'static str) -> PackageFile {
    PackageFile {
        package,
        path,
        about,
        coded: false,
    }
}

/// Files of different origin, typesetting and language.
pub(crate) const PACKAGE_FILES: [PackageFile; 24] = [
    wanted(
        "libtasn1-doc",
        "doc/libtasn1-doc/libtasn1.pdf",
        "TeX manual",
    ),
    wanted("bash-doc", "doc/bash/bashref.pdf", "TeX manual"),
    wanted("bash-doc", "doc/bash/bash.pdf", "groff manual"),
    wanted(
        "shared-mime-info",
        "doc/shared-mime-info/shared-mime-info-spec.pdf",
        "DocBook, LaTeX",
    ),
    wanted(
        "libsuitesparse-doc",
        "doc/libsuitesparse-dev/AMD_UserGuide.pdf",
        "LaTeX with formulas",
    ),
    wanted(
        "libatlas-doc",
        "doc/libatlas-base-dev/atlas_contrib.pdf",
        "LaTeX with tables",
    ),
    wanted(
        "hmmer-doc",
        "doc/hmmer/Userguide.pdf",
        "LaTeX with notes in the margin",
    ),
    wanted(
        "db5.3-doc",
        "doc/db5.3-doc/programmer_reference/bdb_usenix.pdf",
        "paper in two columns",
    ),
    wanted(
        "db5.3-doc",
        "doc/db5.3-doc/programmer_reference/hash_usenix.pdf",
        "paper in two columns",
    ),
    wanted(
        "db5.3-doc",
        "doc/db5.3-doc/bdb-sql/BDB-SQL-Guide.pdf",
        "DocBook, FOP",
    ),
    wanted("winff-doc", "doc/winff/WinFF.en.pdf", "word processor"),
    wanted(
        "winff-doc",
        "doc/winff/WinFF.fr.pdf",
        "word processor, French",
    ),
    wanted(
        "maint-guide-de",
        "doc/maint-guide-de/maint-guide.de.pdf",
        "German",
    ),
    wanted(
        "debian-reference-fr",
        "debian-reference/debian-reference.fr.pdf",
        "French, tables",
    ),
    wanted(
        "maint-guide-zh-cn",
        "doc/maint-guide-zh-cn/maint-guide.zh-cn.pdf",
        "Chinese",
    ),
    wanted(
        "texlive-lang-arabic",
        "doc/texlive-doc/latex/lshort-persian/lshort.pdf",
        "Persian",
    ),
    wanted(
        "db5.3-doc",
        "doc/db5.3-doc/gsg/C/BerkeleyDB-Core-C-GSG.pdf",
        "DocBook, FOP",
    ),
    PackageFile {
        coded: true,
        ..wanted(
            "alqalam",
            "doc/alqalam/tb87fahmy.pdf",
            "paper in two columns",
        )
    },
    wanted(
        "texlive-luatex",
        "doc/texlive-doc/luatex/lua-widow-control/tb133chernoff-widows.pdf",
        "paper in two columns",
    ),
    wanted(
        "installation-guide-amd64",
        "doc/installation-guide-amd64/de/install.de.pdf",
        "German",
    ),
    wanted(
        "installation-guide-amd64",
        "doc/installation-guide-amd64/fr/install.fr.pdf",
        "French",
    ),
    wanted(
        "installation-guide-amd64",
        "doc/installation-guide-amd64/zh_CN/install.zh_CN.pdf",
        "Chinese",
    ),
    wanted("r-doc-pdf", "R/doc/manual/R-exts.pdf", "TeX manual"),
    wanted("r-doc-pdf", "R/doc/manual/fullrefman.pdf", "2,400 pages"),
];

/// Minimum number of files that must be available.
const ENOUGH: usize = 16;

/// Available files, and a note about the missing ones.
pub(crate) type Fetched = (Vec<(&'static PackageFile, PathBuf)>, Vec<String>);

/// Fetches missing packages. Returns the available files, and a note about the missing ones.
pub(crate) fn fetch(folder: &Path) -> Result<Fetched, String> {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut packages: Vec<&str> = PACKAGE_FILES.iter().map(|wanted| wanted.package).collect();
    packages.sort_unstable();
    packages.dedup();
    let status = Command::new(bench.join("../scripts/require-pdfs"))
        .arg(folder)
        .args(&packages)
        .stdin(Stdio::null())
        .status()
        .map_err(|e| format!("scripts/require-pdfs: cannot start: {e}"))?;
    if !status.success() {
        return Err(format!("scripts/require-pdfs failed ({status})"));
    }
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for wanted in &PACKAGE_FILES {
        let file = folder
            .join(wanted.package)
            .join("usr/share")
            .join(wanted.path);
        match file.is_file() {
            true => found.push((wanted, file)),
            false => missing.push(format!("{} of package {}", wanted.path, wanted.package)),
        }
    }
    match found.len() >= ENOUGH {
        true => Ok((found, missing)),
        false => Err(format!(
            "{} PDFs are not enough; missing: {}",
            found.len(),
            missing.join(", ")
        )),
    }
}

/// Reads files with `pdftotext`.
pub(crate) fn read(
    files: &[(&'static PackageFile, PathBuf)],
) -> Result<Vec<PrintedDocument>, String> {
    let read = |(wanted, file): &(&'static PackageFile, PathBuf)| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        PrintedDocument::read(&format!("{name} ({})", wanted.about), file)
    };
    files.iter().map(read).collect()
}
