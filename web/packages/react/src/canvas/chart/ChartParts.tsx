import { seriesDash } from "../colors.js";

/** Series as it is drawn. */
export interface DrawnSeries {
  label: string;
  color: string;
  /** Position among all series, also hidden ones; it decides dash and pattern. */
  index: number;
}

/** Number of series that the legend shows before it is opened. */
const SHORT_LEGEND = 12;
/** Number of different patterns of areas. */
const PATTERNS = 4;

/** Returns the fill of an area: its colour, with a pattern so that areas differ by more than their colour. */
export function patternFill(id: string, series: DrawnSeries): string {
  return series.index % PATTERNS === 0 ? series.color : `url(#${id}-${series.index})`;
}

/** Definitions of the patterns of areas. */
export function PatternDefinitions({ id, series }: { id: string; series: readonly DrawnSeries[] }) {
  return (
    <defs>
      {series
        .filter(({ index }) => index % PATTERNS !== 0)
        .map(({ color, index }) => (
          <pattern
            key={index}
            id={`${id}-${index}`}
            width="8"
            height="8"
            patternUnits="userSpaceOnUse"
          >
            <rect width="8" height="8" fill={color} />
            <path className="pincite-hatch" d={HATCHES[index % PATTERNS]} />
          </pattern>
        ))}
    </defs>
  );
}

const HATCHES = ["", "M-2 2L2 -2M0 8L8 0M6 10L10 6", "M0 2H8M0 6H8", "M2 2h2v2h-2zM6 6h2v2h-2z"];

/** Legend: one button per series, which hides or shows it. */
export function ChartLegend({
  title,
  series,
  hidden,
  isLine,
  onToggle,
}: {
  title: string;
  series: readonly DrawnSeries[];
  hidden: ReadonlySet<number>;
  isLine: boolean;
  onToggle: (index: number) => void;
}) {
  const items = (part: readonly DrawnSeries[]) => (
    <ul className="pincite-legend" aria-label={`Legend of ${title}`}>
      {part.map((entry) => (
        <li key={entry.index}>
          <button
            type="button"
            aria-pressed={!hidden.has(entry.index)}
            onClick={() => onToggle(entry.index)}
          >
            <LegendSwatch series={entry} isLine={isLine} />
            <bdi>{entry.label}</bdi>
          </button>
        </li>
      ))}
    </ul>
  );
  if (series.length <= SHORT_LEGEND) return items(series);
  return (
    <>
      {items(series.slice(0, SHORT_LEGEND))}
      <details className="pincite-details">
        <summary>{series.length - SHORT_LEGEND} more series</summary>
        {items(series.slice(SHORT_LEGEND))}
      </details>
    </>
  );
}

function LegendSwatch({ series, isLine }: { series: DrawnSeries; isLine: boolean }) {
  return (
    <svg className="pincite-swatch" width="18" height="12" aria-hidden="true">
      {isLine ? (
        <line
          x1="0"
          y1="6"
          x2="18"
          y2="6"
          stroke={series.color}
          strokeWidth="2.5"
          strokeDasharray={seriesDash(series.index)}
        />
      ) : (
        <>
          <rect width="18" height="12" rx="2" fill={series.color} />
          <path className="pincite-hatch" d={HATCHES[series.index % PATTERNS]} />
        </>
      )}
    </svg>
  );
}

/** Values at the position that the person points at. */
export function ChartTooltip({
  heading,
  entries,
  x,
  width,
}: {
  heading: string;
  entries: readonly { series: DrawnSeries; text: string }[];
  x: number;
  width: number;
}) {
  const isRight = x > width / 2;
  return (
    <div
      className="pincite-tooltip"
      style={isRight ? { right: width - x + 12 } : { left: x + 12 }}
      aria-hidden="true"
    >
      <strong>
        <bdi>{heading}</bdi>
      </strong>
      {entries.slice(0, SHORT_LEGEND).map(({ series, text }) => (
        <span key={series.index}>
          <i style={{ background: series.color }} />
          <bdi>{series.label}</bdi>
          <b>{text}</b>
        </span>
      ))}
      {entries.length > SHORT_LEGEND && <span>and {entries.length - SHORT_LEGEND} more</span>}
    </div>
  );
}
