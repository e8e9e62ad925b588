import { useId } from "react";
import { paletteColor } from "../colors.js";
import { chartNumberFormat, formatPercent, labelFormat } from "../format.js";
import type { ChartData, ChartSeries } from "../types.js";
import { type DrawnSeries, PatternDefinitions, patternFill } from "./ChartParts.js";
import { pointValue, round } from "./scales.js";

/** Number of slices that are drawn; the smallest others are added up. */
const MAX_SLICES = 12;

interface PieSlice extends DrawnSeries {
  value: number;
  share: number;
}

/** Shares of a whole: one ring for each series. */
export function PieChart({
  data,
  series,
  width,
  height,
}: {
  data: ChartData;
  series: readonly ChartSeries[];
  width: number;
  height: number;
}) {
  const patterns = useId().replaceAll(":", "");
  const format = chartNumberFormat(data.options);
  const formatLabel = labelFormat(data.labels, data.options);
  const rings = series.map((entry) => slices(entry, data.labels.map(formatLabel)));
  const size = Math.min(width, height);
  const ringWidth = size / 2 / (series.length + (series.length > 1 ? 1 : 0));
  const first = rings[0] ?? [];
  return (
    <div className="pincite-pie">
      <svg
        className="pincite-picture"
        viewBox={`${-size / 2} ${-size / 2} ${size} ${size}`}
        width={size}
        height={size}
        role="img"
        aria-label={`${data.title}: pie chart with ${data.labels.length} shares. The table below has all values.`}
      >
        <PatternDefinitions id={patterns} series={rings.flat()} />
        {rings.map((ring, position) => {
          const outer = size / 2 - ringWidth * position - 2;
          const inner = series.length > 1 ? Math.max(outer - ringWidth + 3, 0) : 0;
          return (
            <g key={position}>
              {slicePaths(ring, inner, outer).map((path, index) => {
                const slice = ring[index];
                return (
                  slice && (
                    <path
                      key={slice.index}
                      className="pincite-slice"
                      d={path}
                      fill={patternFill(patterns, slice)}
                    >
                      <title>{`${slice.label}: ${format(slice.value)}`}</title>
                    </path>
                  )
                );
              })}
            </g>
          );
        })}
      </svg>
      <ul className="pincite-legend" aria-label={`Legend of ${data.title}`}>
        {first.map((slice) => (
          <li key={slice.index}>
            <span>
              <svg className="pincite-swatch" width="18" height="12" aria-hidden="true">
                <rect width="18" height="12" rx="2" fill={patternFill(patterns, slice)} />
              </svg>
              <bdi>{slice.label}</bdi> {format(slice.value)} ({formatPercent(slice.share * 100)})
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Returns the shares of a series; beyond the limit the smallest ones become one share. */
function slices(series: ChartSeries, labels: readonly string[]): PieSlice[] {
  const all = labels.map((label, index) => ({
    label,
    index,
    value: Math.max(pointValue(series, index), 0),
  }));
  const total = all.reduce((sum, { value }) => sum + value, 0);
  const byValue = [...all].sort((a, b) => b.value - a.value);
  const isLong = all.length > MAX_SLICES;
  const kept = new Set(byValue.slice(0, isLong ? MAX_SLICES - 1 : MAX_SLICES));
  const shown = all.filter((slice) => kept.has(slice));
  const others = all.filter((slice) => !kept.has(slice));
  if (others.length > 0) {
    const value = others.reduce((sum, slice) => sum + slice.value, 0);
    shown.push({ label: `${others.length} others`, index: all.length, value });
  }
  return shown.map((slice, position) => ({
    ...slice,
    index: position,
    color: paletteColor(position),
    share: total === 0 ? 0 : slice.value / total,
  }));
}

/** Returns the paths of the slices of a ring, clockwise from the top. */
function slicePaths(ring: readonly PieSlice[], inner: number, outer: number): string[] {
  let angle = -Math.PI / 2;
  return ring.map(({ share }) => {
    // A full circle would begin and end at the same point, so it is drawn as slightly less.
    const sweep = Math.min(share, 0.9999) * 2 * Math.PI;
    const end = angle + sweep;
    const large = sweep > Math.PI ? 1 : 0;
    const at = (radius: number, turn: number) =>
      `${round(Math.cos(turn) * radius)} ${round(Math.sin(turn) * radius)}`;
    const path =
      inner === 0
        ? `M0 0L${at(outer, angle)}A${outer} ${outer} 0 ${large} 1 ${at(outer, end)}Z`
        : `M${at(outer, angle)}A${outer} ${outer} 0 ${large} 1 ${at(outer, end)}L${at(inner, end)}A${inner} ${inner} 0 ${large} 0 ${at(inner, angle)}Z`;
    angle += share * 2 * Math.PI;
    return share === 0 ? "" : path;
  });
}
