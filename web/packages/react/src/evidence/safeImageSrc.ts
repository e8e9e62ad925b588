const IMAGE_DATA = /^data:image\/(?:png|jpeg|webp|avif|gif);base64,[A-Za-z0-9+/=]+$/;

/** Returns the address of an image of a passage: a page of a server, a path of this one, or data of an image. */
export function safeImageSrc(src: string | undefined): string | undefined {
  if (src === undefined) return undefined;
  if (IMAGE_DATA.test(src)) return src;
  if (/^\/(?![/\\])/.test(src)) return src;
  return /^https?:\/\//i.test(src) && URL.canParse(src) ? src : undefined;
}
