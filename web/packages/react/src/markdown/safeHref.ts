/** Schemes that a link in an answer may have. */
const SAFE_SCHEMES = new Set(["http:", "https:", "mailto:"]);

/** Control characters and marks that change the direction of text, with which an address can look like another. */
const DECEPTIVE = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

/** Returns the address of a link, or `undefined` if it must not be opened. */
export function safeHref(address: string): string | undefined {
  if (DECEPTIVE.test(address) || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (!SAFE_SCHEMES.has(url.protocol)) return undefined;
  // A name before the host makes an address look like one of another site.
  if (url.username !== "" || url.password !== "") return undefined;
  return url.href;
}
