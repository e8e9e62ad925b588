import { useId, useMemo } from "react";
import { seriesDash } from "../colors.js";
import { chartNumberFormat, formatShort, labelFormat } from "../format.js";
import type { ChartData, ChartSeries } from "../types.js";
import { ChartTooltip, type DrawnSeries, PatternDefinitions, patternFill } from "./ChartParts.js";
import {
  type LinePoint,
  linePath,
  plainSeries,
  round,
  stackSeries,
  thinPoints,
  valueAxis,
  valueRange,
} from "./scales.js";
import { useChartCursor } from "./useChartCursor.js";

/** Space around the plot, in pixels. */
const MARGIN = { top: 12, right: 12, bottom: 28, left: 52 };
/** Points above which a line has no marks. */
const MAX_MARKS = 60;
/** Width of a label of the axis that fits, in pixels. */
const LABEL_WIDTH = 72;

/** Lines, bars, areas or points over labels. */
export function CartesianChart({
  data,
  series,
  drawn,
  width,
  height,
}: {
  data: ChartData;
  /** Visible series. */
  series: readonly ChartSeries[];
  drawn: readonly DrawnSeries[];
  width: number;
  height: number;
}) {
  const patterns = useId().replaceAll(":", "");
  const { chartType, labels, options } = data;
  const count = labels.length;
  const isBar = chartType === "bar";
  const isStacked = options?.stacked === true && (isBar || chartType === "area");
  const plot = {
    left: MARGIN.left,
    top: MARGIN.top,
    width: Math.max(width - MARGIN.left - MARGIN.right, 40),
    height: Math.max(height - MARGIN.top - MARGIN.bottom - (options?.xLabel ? 18 : 0), 40),
  };
  const bands = useMemo(
    () => (isStacked ? stackSeries(series, count) : plainSeries(series, count)),
    [series, count, isStacked],
  );
  const axis = useMemo(
    () => valueAxis(...valueRange(bands, isBar || chartType === "area")),
    [bands, isBar, chartType],
  );
  const y = (value: number) =>
    plot.top + plot.height * (1 - (value - axis.min) / (axis.max - axis.min));
  const step = plot.width / Math.max(count, 1);
  const x = (position: number) => plot.left + step * (position + 0.5);
  const cursor = useChartCursor(count, (at) => {
    const position = Math.floor((at - plot.left) / step);
    return position >= 0 && position < count ? position : undefined;
  });
  const format = chartNumberFormat(options);
  const formatLabel = useMemo(() => labelFormat(labels, options), [labels, options]);
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
        aria-label={`${data.title}: ${chartType} chart, ${drawn.length} series with ${count} points. Use the arrow keys to read values; the table below has all of them.`}
        tabIndex={0}
        {...cursor.handlers}
      >
        <PatternDefinitions id={patterns} series={drawn} />
        {axis.ticks.map((tick) => (
          <g key={tick}>
            <line
              className={tick === 0 ? "pincite-axis" : "pincite-tick"}
              x1={plot.left}
              x2={plot.left + plot.width}
              y1={round(y(tick))}
              y2={round(y(tick))}
            />
            <text
              className="pincite-label"
              x={plot.left - 8}
              y={round(y(tick)) + 4}
              textAnchor="end"
            >
              {options?.numberFormat === "percent" ? format(tick) : formatShort(tick)}
            </text>
          </g>
        ))}
        <AxisLabels
          labels={labels}
          format={formatLabel}
          x={x}
          y={plot.top + plot.height + 18}
          width={plot.width}
        />
        {options?.xLabel && (
          <text className="pincite-label" x={width / 2} y={height - 4} textAnchor="middle">
            {options.xLabel}
          </text>
        )}
        {options?.yLabel && (
          <text className="pincite-label" x={4} y={10} textAnchor="start">
            {options.yLabel}
          </text>
        )}
        {drawn.map((entry, index) => {
          const band = bands[index];
          if (!band) return null;
          if (isBar) {
            const group = isStacked ? 0 : index;
            const groups = isStacked ? 1 : drawn.length;
            const barWidth = Math.max((step * 0.8) / groups, 0.5);
            const path = barPath(band, count, y, (position) => [
              plot.left + step * (position + 0.1) + barWidth * group,
              Math.max(barWidth - (barWidth > 4 ? 1 : 0), 0.5),
            ]);
            return (
              <path
                key={entry.index}
                className="pincite-bar"
                d={path}
                fill={patternFill(patterns, entry)}
              />
            );
          }
          return (
            <LineShape
              key={entry.index}
              entry={entry}
              points={Array.from(band.to, (value, position) => [x(position), y(value)] as const)}
              base={
                chartType === "area" || series[index]?.fill === true
                  ? Array.from(band.from, (value, position) => [x(position), y(value)] as const)
                  : undefined
              }
              fill={patternFill(patterns, entry)}
              isScatter={chartType === "scatter"}
              width={plot.width}
            />
          );
        })}
        {at !== undefined && (
          <line
            className="pincite-cursor"
            x1={round(x(at))}
            x2={round(x(at))}
            y1={plot.top}
            y2={plot.top + plot.height}
          />
        )}
      </svg>
      {at !== undefined && (
        <>
          <ChartTooltip
            heading={formatLabel(labels[at])}
            entries={entries}
            x={x(at)}
            width={width}
          />
          <p className="pincite-hidden" role="status">
            {formatLabel(labels[at])}:{" "}
            {entries.map(({ series: { label }, text }) => `${label} ${text}`).join(", ")}
          </p>
        </>
      )}
    </>
  );
}

/** Labels of the points, as many as fit. */
function AxisLabels({
  labels,
  format,
  x,
  y,
  width,
}: {
  labels: readonly string[];
  format: (label: unknown) => string;
  x: (position: number) => number;
  y: number;
  width: number;
}) {
  const every = Math.max(1, Math.ceil((labels.length * LABEL_WIDTH) / Math.max(width, 1)));
  const longest = Math.max(4, Math.floor((width / Math.max(labels.length / every, 1) / 7) | 0));
  return labels.map((label, position) => {
    if (position % every !== 0) return null;
    const text = format(label);
    return (
      <text
        key={position}
        className="pincite-label"
        x={round(x(position))}
        y={y}
        textAnchor="middle"
      >
        {text.length > longest ? `${text.slice(0, longest - 1)}…` : text}
      </text>
    );
  });
}

/** Returns one path with all bars of a series. `place` returns the left edge and the width of a bar. */
function barPath(
  band: { from: Float64Array; to: Float64Array },
  count: number,
  y: (value: number) => number,
  place: (position: number) => [left: number, width: number],
): string {
  let path = "";
  for (let position = 0; position < count; position += 1) {
    const [left, width] = place(position);
    const top = round(y(band.to[position] ?? 0));
    const bottom = round(y(band.from[position] ?? 0));
    path += `M${round(left)} ${bottom}V${top}h${round(width)}V${bottom}Z`;
  }
  return path;
}

/** Line with its marks, its area, or only its points. */
function LineShape({
  entry,
  points,
  base,
  fill,
  isScatter,
  width,
}: {
  entry: DrawnSeries;
  points: readonly LinePoint[];
  base: readonly LinePoint[] | undefined;
  fill: string;
  isScatter: boolean;
  width: number;
}) {
  const line = isScatter ? points : thinPoints(points, width);
  const marks =
    isScatter || points.length <= MAX_MARKS
      ? line.map(([x, y]) => markPath(entry.index, x, y)).join("")
      : "";
  return (
    <g>
      {base && (
        <path
          className="pincite-area"
          d={`${linePath(line)}${linePath([...thinPoints(base, width)].reverse()).replace("M", "L")}Z`}
          fill={fill}
        />
      )}
      {!isScatter && (
        <path
          className="pincite-line"
          d={linePath(line)}
          stroke={entry.color}
          strokeDasharray={seriesDash(entry.index)}
        />
      )}
      {marks !== "" && <path d={marks} fill={entry.color} />}
    </g>
  );
}

/** Returns the mark of a series: a circle, square, triangle or diamond. */
function markPath(index: number, x: number, y: number): string {
  const [a, b] = [round(x), round(y)];
  switch (index % 4) {
    case 1:
      return `M${a - 3} ${b - 3}h6v6h-6Z`;
    case 2:
      return `M${a} ${b - 4}l4 7h-8Z`;
    case 3:
      return `M${a} ${b - 4}l4 4l-4 4l-4 -4Z`;
    default:
      return `M${a - 3.5} ${b}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z`;
  }
}
