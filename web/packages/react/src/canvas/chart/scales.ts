import type { ChartSeries } from "../types.js";

/** Axis of values: its ends and its ticks. */
export interface ValueAxis {
  min: number;
  max: number;
  ticks: number[];
}

/** Returns an axis with round ticks that contains both numbers. */
export function valueAxis(low: number, high: number, tickCount = 5): ValueAxis {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return { min: 0, max: 1, ticks: [0, 1] };
  if (low === high) {
    const margin = low === 0 ? 1 : Math.abs(low) / 2;
    return valueAxis(low - margin, high + margin, tickCount);
  }
  const rough = (high - low) / tickCount;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.floor(low / step);
  const last = Math.ceil(high / step);
  const ticks: number[] = [];
  // The product keeps rounding errors from adding up.
  for (let tick = first; tick <= last; tick += 1) ticks.push(Number((tick * step).toPrecision(12)));
  return { min: ticks[0] ?? low, max: ticks.at(-1) ?? high, ticks };
}

/** Returns a number of a series; 0 for anything that is not a finite number. */
export function pointValue(series: ChartSeries, position: number): number {
  const value = series.data[position];
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** Begin and end of each point of a series, on top of the series below it. */
export interface StackedSeries {
  from: Float64Array;
  to: Float64Array;
}

/** Puts series on top of each other: positive values upwards, negative ones downwards. */
export function stackSeries(datasets: readonly ChartSeries[], count: number): StackedSeries[] {
  const up = new Float64Array(count);
  const down = new Float64Array(count);
  return datasets.map((series) => {
    const from = new Float64Array(count);
    const to = new Float64Array(count);
    for (let position = 0; position < count; position += 1) {
      const value = pointValue(series, position);
      const base = value < 0 ? down : up;
      from[position] = base[position] ?? 0;
      base[position] = (base[position] ?? 0) + value;
      to[position] = base[position] ?? 0;
    }
    return { from, to };
  });
}

/** Returns series that begin at zero. */
export function plainSeries(datasets: readonly ChartSeries[], count: number): StackedSeries[] {
  return datasets.map((series) => ({
    from: new Float64Array(count),
    to: Float64Array.from({ length: count }, (_, position) => pointValue(series, position)),
  }));
}

/** Returns the lowest and the highest value of series. */
export function valueRange(series: readonly StackedSeries[], hasZero: boolean): [number, number] {
  let low = hasZero ? 0 : Number.POSITIVE_INFINITY;
  let high = hasZero ? 0 : Number.NEGATIVE_INFINITY;
  for (const { from, to } of series) {
    for (let position = 0; position < to.length; position += 1) {
      const end = to[position] ?? 0;
      const begin = hasZero ? (from[position] ?? 0) : end;
      low = Math.min(low, end, begin);
      high = Math.max(high, end, begin);
    }
  }
  return low <= high ? [low, high] : [0, 1];
}

/** Point of a line in pixels. */
export type LinePoint = readonly [x: number, y: number];

/** Reduces points to at most two per pixel column: the lowest and the highest, in their order. */
export function thinPoints(points: readonly LinePoint[], width: number): readonly LinePoint[] {
  if (points.length <= width * 2) return points;
  const kept: LinePoint[] = [];
  let column: LinePoint[] = [];
  const flush = () => {
    const [first] = column;
    if (!first) return;
    let [low, high] = [first, first];
    for (const point of column) {
      if (point[1] < low[1]) low = point;
      if (point[1] > high[1]) high = point;
    }
    kept.push(...(low === high ? [low] : low[0] <= high[0] ? [low, high] : [high, low]));
    column = [];
  };
  let current = Number.NaN;
  for (const point of points) {
    const at = Math.floor(point[0]);
    if (at !== current) flush();
    current = at;
    column.push(point);
  }
  flush();
  return kept;
}

/** Returns the path of a line through points. */
export function linePath(points: readonly LinePoint[]): string {
  return points
    .map(([x, y], index) => `${index === 0 ? "M" : "L"}${round(x)} ${round(y)}`)
    .join("");
}

/** Rounds a coordinate to a tenth of a pixel. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
