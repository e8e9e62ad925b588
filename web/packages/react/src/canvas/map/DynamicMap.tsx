import { type KeyboardEvent, useMemo, useState } from "react";
import { ComponentFrame } from "../ComponentFrame.js";
import { seriesColor } from "../colors.js";
import { formatNumber } from "../format.js";
import { DataGrid } from "../table/DataGrid.js";
import type { MapData } from "../types.js";
import { baseMap, type MapCountry } from "./baseMap.js";
import { areaName, findCountry } from "./countries.js";
import { MAP_HEIGHT, MAP_WIDTH, project } from "./projection.js";

/** Number of steps of the colours of areas. */
const STEPS = 5;
/** Largest magnification. */
const MAX_ZOOM = 16;

interface MapView {
  zoom: number;
  /** Centre of the view on the map. */
  x: number;
  y: number;
}

const WHOLE: MapView = { zoom: 1, x: MAP_WIDTH / 2, y: MAP_HEIGHT / 2 };

/** World map of an agent with points and areas, and the same as a list. */
export function DynamicMap({ data }: { data: MapData }) {
  const points = data.points ?? [];
  const areas = data.areas ?? [];
  const unit = data.legend?.unit;
  const grid = useMemo(
    () => ({
      headers: ["Place", unit ? `Value (${unit})` : "Value", "Latitude", "Longitude"],
      rows: [
        ...areas.map((area) => [area.label ?? areaName(area.code), area.value, "", ""]),
        ...points.map((point) => [point.label, point.value ?? "", point.lat, point.lon]),
      ],
    }),
    [areas, points, unit],
  );
  return (
    <ComponentFrame
      component="map"
      title={data.title}
      description={data.description}
      getRows={() => [grid.headers, ...grid.rows]}
      hasPicture
    >
      <WorldMap data={data} />
      <details className="pincite-details">
        <summary>Places of {data.title} as a list</summary>
        <DataGrid
          label={`the places of ${data.title}`}
          data={grid}
          isSortable
          isFilterable={false}
        />
      </details>
    </ComponentFrame>
  );
}

function WorldMap({ data }: { data: MapData }) {
  const [view, setView] = useState(WHOLE);
  const areas = data.areas ?? [];
  const points = data.points ?? [];
  const values = areas.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const byCountry = useMemo(
    () =>
      new Map(
        areas.flatMap((area) => {
          const numeric = findCountry(area.code)?.numeric;
          return numeric === undefined ? [] : [[numeric, area] as const];
        }),
      ),
    [areas],
  );
  const missing = areas.filter(({ code }) => {
    const numeric = findCountry(code)?.numeric;
    return !baseMap().some((country) => country.numeric === numeric && numeric !== undefined);
  });
  const stepOf = (value: number) =>
    high === low
      ? STEPS
      : 1 + Math.min(STEPS - 1, Math.floor(((value - low) / (high - low)) * STEPS));
  const change = (next: Partial<MapView>) => setView((before) => clampView({ ...before, ...next }));
  const width = MAP_WIDTH / view.zoom;
  const height = MAP_HEIGHT / view.zoom;
  const largest = Math.max(...points.map(({ value }) => Math.abs(value ?? 0)), 0);
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, Partial<MapView>> = {
      ArrowLeft: { x: view.x - width / 8 },
      ArrowRight: { x: view.x + width / 8 },
      ArrowUp: { y: view.y - height / 8 },
      ArrowDown: { y: view.y + height / 8 },
      "+": { zoom: view.zoom * 2 },
      "-": { zoom: view.zoom / 2 },
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    change(move);
  };
  return (
    <>
      <div className="pincite-map">
        <svg
          className="pincite-picture"
          viewBox={`${view.x - width / 2} ${view.y - height / 2} ${width} ${height}`}
          role="img"
          aria-label={`${data.title}: world map with ${points.length} points and ${areas.length} areas. The list below has all of them. Arrow keys move the map, plus and minus change its size.`}
          tabIndex={0}
          onKeyDown={onKeyDown}
        >
          {baseMap().map((country) => (
            <CountryShape
              key={country.name}
              country={country}
              area={byCountry.get(country.numeric ?? "")}
              stepOf={stepOf}
            />
          ))}
          {points.map((point, index) => {
            const [x, y] = project(point.lat, point.lon);
            const share = largest === 0 ? 0.3 : Math.sqrt(Math.abs(point.value ?? 0) / largest);
            return (
              <circle
                key={index}
                className="pincite-point"
                cx={x.toFixed(1)}
                cy={y.toFixed(1)}
                r={(4 + 10 * share) / view.zoom}
                fill={seriesColor(point.color, 1)}
              >
                <title>
                  {point.value === undefined
                    ? point.label
                    : `${point.label}: ${formatNumber(point.value)}`}
                </title>
              </circle>
            );
          })}
        </svg>
        <div className="pincite-zoom">
          <button
            type="button"
            aria-label={`Enlarge ${data.title}`}
            disabled={view.zoom >= MAX_ZOOM}
            onClick={() => change({ zoom: view.zoom * 2 })}
          >
            <span aria-hidden="true">+</span>
          </button>
          <button
            type="button"
            aria-label={`Reduce ${data.title}`}
            disabled={view.zoom <= 1}
            onClick={() => change({ zoom: view.zoom / 2 })}
          >
            <span aria-hidden="true">−</span>
          </button>
        </div>
      </div>
      {areas.length > 0 && low < high && <MapLegend data={data} low={low} high={high} />}
      {missing.length > 0 && (
        <p className="pincite-note">
          Only in the list, because the map is too coarse:{" "}
          {missing.map((area) => area.label ?? areaName(area.code)).join(", ")}.
        </p>
      )}
    </>
  );
}

/** Keeps the view within the map. */
function clampView(view: MapView): MapView {
  const zoom = Math.min(Math.max(view.zoom, 1), MAX_ZOOM);
  const halfWidth = MAP_WIDTH / zoom / 2;
  const halfHeight = MAP_HEIGHT / zoom / 2;
  return {
    zoom,
    x: Math.min(Math.max(view.x, halfWidth), MAP_WIDTH - halfWidth),
    y: Math.min(Math.max(view.y, halfHeight), MAP_HEIGHT - halfHeight),
  };
}

function CountryShape({
  country,
  area,
  stepOf,
}: {
  country: MapCountry;
  area: { code: string; value: number; label?: string } | undefined;
  stepOf: (value: number) => number;
}) {
  return (
    <path className="pincite-country" data-step={area && stepOf(area.value)} d={country.path}>
      {area && <title>{`${area.label ?? areaName(area.code)}: ${formatNumber(area.value)}`}</title>}
    </path>
  );
}

function MapLegend({ data, low, high }: { data: MapData; low: number; high: number }) {
  const unit = data.legend?.unit ? ` ${data.legend.unit}` : "";
  return (
    <p className="pincite-legend">
      {data.legend?.title && <span dir="auto">{data.legend.title}</span>}
      <span>{formatNumber(low)}</span>
      <svg className="pincite-swatch" width={STEPS * 18} height="12" aria-hidden="true">
        {Array.from({ length: STEPS }, (_, step) => (
          <rect
            key={step}
            className="pincite-country"
            data-step={step + 1}
            x={step * 18}
            width="18"
            height="12"
          />
        ))}
      </svg>
      <span>
        {formatNumber(high)}
        {unit}
      </span>
    </p>
  );
}
