import { useMemo, useRef, useState } from "react";
import { ComponentFrame } from "../ComponentFrame.js";
import { seriesColor } from "../colors.js";
import { labelFormat } from "../format.js";
import { DataGrid } from "../table/DataGrid.js";
import type { ChartData } from "../types.js";
import { useWidth } from "../useWidth.js";
import { CartesianChart } from "./CartesianChart.js";
import { ChartLegend, type DrawnSeries } from "./ChartParts.js";
import { PieChart } from "./PieChart.js";
import { RadarChart } from "./RadarChart.js";

/** Height of a chart unless the layout gives one, in pixels. */
const DEFAULT_HEIGHT = 280;
/** Width before the chart is measured, in pixels. */
const INITIAL_WIDTH = 640;

/** Chart of an agent, with its values as a table. */
export function DynamicChart({
  data,
  height = DEFAULT_HEIGHT,
}: {
  data: ChartData;
  /** Height of the picture in pixels. */
  height?: number;
}) {
  const plot = useRef<HTMLDivElement>(null);
  const width = useWidth(plot, INITIAL_WIDTH);
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set());
  const drawn = useMemo<DrawnSeries[]>(
    () =>
      data.datasets.map((series, index) => ({
        label: series.label,
        color: seriesColor(series.color, index),
        index,
      })),
    [data.datasets],
  );
  const visible = drawn.filter(({ index }) => !hidden.has(index));
  const series = useMemo(
    () => data.datasets.filter((_, index) => !hidden.has(index)),
    [data.datasets, hidden],
  );
  const toggle = (index: number) => {
    const next = new Set(hidden);
    if (!next.delete(index)) next.add(index);
    setHidden(next);
  };
  const props = { data, series, drawn: visible, width, height };
  const isPie = data.chartType === "pie";
  const isLine = data.chartType !== "bar" && data.chartType !== "area";
  return (
    <ComponentFrame
      component="chart"
      title={data.title}
      description={data.description}
      getRows={() => tableRows(data)}
      hasPicture
    >
      <div ref={plot} className="pincite-plot">
        {isPie ? (
          <PieChart {...props} />
        ) : data.chartType === "radar" ? (
          <RadarChart {...props} />
        ) : (
          <CartesianChart {...props} />
        )}
      </div>
      {!isPie && data.options?.legend !== false && data.datasets.length > 0 && (
        <ChartLegend
          title={data.title}
          series={drawn}
          hidden={hidden}
          isLine={isLine}
          onToggle={toggle}
        />
      )}
      <ChartTable data={data} />
    </ComponentFrame>
  );
}

function tableRows(data: ChartData): (string | number)[][] {
  const rows = data.labels.map((label, position) => [
    label,
    ...data.datasets.map((series) => series.data[position] ?? ""),
  ]);
  return [["", ...data.datasets.map((series) => series.label)], ...rows];
}

/** Values of a chart as a table, which is built when it is opened. */
function ChartTable({ data }: { data: ChartData }) {
  const [isOpen, setOpen] = useState(false);
  const format = useMemo(() => labelFormat(data.labels, data.options), [data.labels, data.options]);
  const grid = useMemo(() => {
    const [headers = [], ...rows] = isOpen ? tableRows(data) : [];
    return {
      headers: ["Label", ...headers.slice(1).map(String)],
      rows: rows.map(([label, ...values]) => [format(label), ...values]),
    };
  }, [data, format, isOpen]);
  return (
    <details className="pincite-details" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Values of {data.title} as a table</summary>
      {isOpen && (
        <DataGrid
          label={`the values of ${data.title}`}
          data={grid}
          isSortable
          isFilterable={false}
        />
      )}
    </details>
  );
}
