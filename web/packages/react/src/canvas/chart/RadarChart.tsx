import { seriesDash } from "../colors.js";
import { chartNumberFormat, formatShort, labelFormat } from "../format.js";
import type { ChartData, ChartSeries } from "../types.js";
import { ChartTooltip, type DrawnSeries } from "./ChartParts.js";
import {
  type LinePoint,
  linePath,
  plainSeries,
  pointValue,
  round,
  valueAxis,
  valueRange,
} from "./scales.js";
import { useChartCursor } from "./useChartCursor.js";

/** Number of axes that have a label. */
const MAX_LABELS = 24;

/** Values on axes around a centre. */
export function RadarChart({
  data,
  series,
  drawn,
  width,
  height,
}: {
  data: ChartData;
  series: readonly ChartSeries[];
  drawn: readonly DrawnSeries[];
  width: number;
  height: number;
}) {
  const count = data.labels.length;
  const radius = Math.max(Math.min(width / 2 - 70, height / 2 - 24), 30);
  const [centerX, centerY] = [width / 2, height / 2];
  const [low, high] = valueRange(plainSeries(series, count), false);
  const axis = valueAxis(Math.min(low, 0), high, 4);
  const point = (position: number, value: number): LinePoint => {
    const angle = (position / Math.max(count, 1)) * 2 * Math.PI - Math.PI / 2;
    const distance = (radius * (value - axis.min)) / (axis.max - axis.min);
    return [centerX + Math.cos(angle) * distance, centerY + Math.sin(angle) * distance];
  };
  const ring = (value: number) =>
    `${linePath(data.labels.map((_, position) => point(position, value)))}Z`;
  const cursor = useChartCursor(count, (x, y) => {
    const turn = Math.atan2(y - centerY, x - centerX) + Math.PI / 2;
    return Math.round(((turn / (2 * Math.PI)) * count + count) % count) % count;
  });
  const format = chartNumberFormat(data.options);
  const formatLabel = labelFormat(data.labels, data.options);
  const at = cursor.position;
  const entries =
    at === undefined
      ? []
      : drawn.map((entry, index) => ({
          series: entry,
          text: format(series[index]?.data[at] ?? Number.NaN),
        }));
  return (
    <>
      <svg
        className="pincite-picture"
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        role="img"
        aria-label={`${data.title}: radar chart, ${drawn.length} series on ${count} axes. Use the arrow keys to read values; the table below has all of them.`}
        tabIndex={0}
        {...cursor.handlers}
      >
        {axis.ticks.map((tick) => (
          <g key={tick}>
            <path className="pincite-tick" fill="none" d={ring(tick)} />
            <text className="pincite-label" x={centerX + 4} y={round(point(0, tick)[1]) + 4}>
              {formatShort(tick)}
            </text>
          </g>
        ))}
        {data.labels.map((label, position) => {
          const [x, y] = point(position, axis.max);
          const side = x > centerX + 1 ? "start" : x < centerX - 1 ? "end" : "middle";
          return (
            <g key={position}>
              <line
                className="pincite-tick"
                x1={centerX}
                y1={centerY}
                x2={round(x)}
                y2={round(y)}
              />
              {count <= MAX_LABELS && (
                <text
                  className="pincite-label"
                  x={round(x + (side === "start" ? 6 : side === "end" ? -6 : 0))}
                  y={round(y + (y < centerY ? -6 : 12))}
                  textAnchor={side}
                >
                  {shorten(formatLabel(label))}
                </text>
              )}
            </g>
          );
        })}
        {drawn.map((entry, index) => {
          const values = series[index];
          if (!values) return null;
          const path = `${linePath(data.labels.map((_, position) => point(position, pointValue(values, position))))}Z`;
          return (
            <g key={entry.index}>
              <path className="pincite-area" d={path} fill={entry.color} />
              <path
                className="pincite-line"
                d={path}
                stroke={entry.color}
                strokeDasharray={seriesDash(entry.index)}
              />
            </g>
          );
        })}
      </svg>
      {at !== undefined && (
        <>
          <ChartTooltip
            heading={formatLabel(data.labels[at])}
            entries={entries}
            x={point(at, axis.max)[0]}
            width={width}
          />
          <p className="pincite-hidden" role="status">
            {formatLabel(data.labels[at])}:{" "}
            {entries.map(({ series: { label }, text }) => `${label} ${text}`).join(", ")}
          </p>
        </>
      )}
    </>
  );
}

function shorten(label: string): string {
  return label.length > 14 ? `${label.slice(0, 13)}…` : label;
}
