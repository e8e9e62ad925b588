import { plainText } from "./format.js";

/** Largest side of a picture, in pixels. */
const MAX_SIDE = 8192;
/** Properties that a picture takes over from the style sheet. */
const COPIED_STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
];

/** Offers a file to the person. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has read the address once the click is handled.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Returns a file name for a title. */
export function fileName(title: string, extension: string): string {
  const base = title
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80);
  return `${base === "" ? "component" : base}.${extension}`;
}

/** Returns rows as CSV (RFC 4180) with a byte order mark, so that spreadsheets read it as UTF-8. */
export function toCsv(rows: readonly (readonly unknown[])[]): string {
  return `\uFEFF${rows.map((row) => row.map(csvCell).join(",")).join("\r\n")}\r\n`;
}

/** Quotes a cell. A text that spreadsheets would execute as a formula gets an apostrophe. */
function csvCell(value: unknown): string {
  const text = plainText(value);
  const isFormula =
    typeof value === "string" && /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text));
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns an SVG element as a document of its own: with its colours and fonts, and a background. */
export function toSvgText(element: SVGSVGElement): string {
  const copy = element.cloneNode(true) as SVGSVGElement;
  const { width, height } = element.getBoundingClientRect();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(Math.round(width)));
  copy.setAttribute("height", String(Math.round(height)));
  copyStyles(element, copy);
  const background = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const [x = 0, y = 0] = (element.getAttribute("viewBox") ?? "").split(/\s+/).map(Number);
  background.setAttribute("x", String(x));
  background.setAttribute("y", String(y));
  background.setAttribute("width", "100%");
  background.setAttribute("height", "100%");
  background.setAttribute("fill", backgroundColor(element));
  copy.insertBefore(background, copy.firstChild);
  return new XMLSerializer().serializeToString(copy);
}

function copyStyles(from: Element, to: Element): void {
  const style = getComputedStyle(from);
  for (const name of COPIED_STYLES) {
    const value = style.getPropertyValue(name);
    if (value !== "") to.setAttribute(name, value);
  }
  to.removeAttribute("class");
  to.removeAttribute("style");
  for (let index = 0; index < from.children.length; index += 1) {
    const [source, target] = [from.children[index], to.children[index]];
    if (source && target) copyStyles(source, target);
  }
}

function backgroundColor(element: Element): string {
  for (let at: Element | null = element; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (color !== "" && color !== "transparent" && color !== "rgba(0, 0, 0, 0)") return color;
  }
  return "#ffffff";
}

/** Draws an SVG element as a PNG with twice its size. */
export async function toPng(element: SVGSVGElement): Promise<Blob> {
  const { width, height } = element.getBoundingClientRect();
  const scale = Math.min(2, MAX_SIDE / Math.max(width, height, 1));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(toSvgText(element))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob);
      else reject(new Error("The picture could not be drawn."));
    }, "image/png");
  });
}

/** Prints one element of the page. */
export function printElement(element: HTMLElement): void {
  const root = document.documentElement;
  element.dataset.printing = "";
  root.dataset.pincitePrint = "";
  window.addEventListener(
    "afterprint",
    () => {
      delete element.dataset.printing;
      delete root.dataset.pincitePrint;
    },
    { once: true },
  );
  window.print();
}
