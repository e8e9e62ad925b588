/** Number of colours of the palette, which the style sheet defines as `--pincite-chart-1` and so on. */
export const PALETTE_SIZE = 8;

/** Colours in CSS notation without anything that could load or execute. */
const SAFE_COLOR =
  /^(?:#[0-9a-f]{3,8}|[a-z]+|(?:rgb|hsl)a?\([\d.,%/\s-]+\)|(?:oklch|oklab|lab|lch|hwb)\([\d.,%/\s-]+\))$/i;
/** Colour of the palette in the notation of themes: `hsl(var(--chart-1))`. */
const THEME_COLOR = /^(?:hsl\(\s*)?var\(--chart-(\d+)\)/i;

/** Returns the colour of the palette for a series, counted from 0. */
export function paletteColor(index: number): string {
  return `var(--pincite-chart-${(index % PALETTE_SIZE) + 1})`;
}

/** Returns the colour that an agent asks for if it is one, otherwise that of the palette. */
export function seriesColor(color: unknown, index: number): string {
  if (typeof color !== "string") return paletteColor(index);
  const themed = THEME_COLOR.exec(color.trim());
  if (themed) return paletteColor(Math.max(1, Number(themed[1])) - 1);
  return SAFE_COLOR.test(color.trim()) ? color.trim() : paletteColor(index);
}

/** Dash patterns of lines, so that series differ by more than their colour. */
const DASHES = [undefined, "6 3", "2 3", "8 3 2 3"];

/** Returns the dash pattern of a series, counted from 0. */
export function seriesDash(index: number): string | undefined {
  return DASHES[(index + Math.floor(index / PALETTE_SIZE)) % DASHES.length];
}
