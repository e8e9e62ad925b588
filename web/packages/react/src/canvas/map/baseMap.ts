import topology from "world-atlas/countries-110m.json";
import { MAP_HEIGHT, MAP_WIDTH, project } from "./projection.js";

/** Country of the base map. */
export interface MapCountry {
  /** Numeric code in ISO 3166; absent for disputed areas. */
  numeric: string | undefined;
  name: string;
  /** Outline as the path of an SVG. */
  path: string;
}

interface Topology {
  transform: { scale: number[]; translate: number[] };
  arcs: number[][][];
  objects: {
    countries: {
      geometries: {
        type: string;
        id?: string;
        properties: { name: string };
        arcs?: unknown;
      }[];
    };
  };
}

let countries: MapCountry[] | undefined;

/** Returns the countries of the world (Natural Earth, 1:110 million). */
export function baseMap(): MapCountry[] {
  countries ??= readTopology(topology as unknown as Topology);
  return countries;
}

function readTopology({ transform, arcs, objects }: Topology): MapCountry[] {
  const [scaleX = 1, scaleY = 1] = transform.scale;
  const [moveX = 0, moveY = 0] = transform.translate;
  const lines = arcs.map((arc) => {
    let [x, y] = [0, 0];
    return arc.map(([dx = 0, dy = 0]) => {
      x += dx;
      y += dy;
      return project(y * scaleY + moveY, x * scaleX + moveX);
    });
  });
  /** A negative index is an arc in the other direction. */
  const ring = (indexes: number[]) => {
    const points = indexes.flatMap((index, position) => {
      const line = index < 0 ? [...(lines[~index] ?? [])].reverse() : (lines[index] ?? []);
      return position === 0 ? line : line.slice(1);
    });
    return ringPath(points);
  };
  return objects.countries.geometries.map((geometry) => {
    const polygons = (geometry.type === "Polygon" ? [geometry.arcs] : geometry.arcs) as
      | number[][][]
      | undefined;
    return {
      numeric: geometry.id,
      name: geometry.properties.name,
      path: (polygons ?? []).flatMap((polygon) => polygon.map(ring)).join(""),
    };
  });
}

/** Returns the path of a ring. It is interrupted where it crosses from one edge of the map to the other. */
function ringPath(points: readonly (readonly [number, number])[]): string {
  let path = "";
  let before: readonly [number, number] | undefined;
  for (const [x, y] of points) {
    const jumps = before !== undefined && Math.abs(x - before[0]) > MAP_WIDTH / 2;
    path += `${before === undefined || jumps ? "M" : "L"}${x.toFixed(1)} ${Math.min(y, MAP_HEIGHT).toFixed(1)}`;
    before = [x, y];
  }
  return `${path}Z`;
}
