//! The page around rendered parts.

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
.row{display:flex;flex-wrap:wrap;gap:.75rem}.row>*{flex:1 1 auto}
.card,article,section{border:1px solid #d5d5d5;border-radius:.5rem;padding:.75rem 1rem;margin:.75rem 0}
.caption{color:#555;font-size:.875rem}.button{display:inline-block;border:1px solid #767676;border-radius:.375rem;padding:.25rem .75rem}
.field{margin:.5rem 0}.field b{display:block;font-weight:600}table{border-collapse:collapse}
th,td{border-bottom:1px solid #d5d5d5;padding:.25rem .75rem;text-align:left}p{margin:.25rem 0}
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}.caption{color:#aaa}}
@media print{article,section,.card{break-inside:avoid}}";

/// A page without scripts, pictures or anything that is fetched.
pub(crate) fn html_page(parts: impl Iterator<Item = String>) -> String {
    let body: String = parts.collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>Generated UI</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
}
