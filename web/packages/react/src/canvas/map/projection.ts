/** Width of the map in its own units. */
export const MAP_WIDTH = 960;
/** Height of the map in its own units; the far south is cut off. */
export const MAP_HEIGHT = 470;

/** Scale that makes the whole earth as wide as the map. */
const SCALE = MAP_WIDTH / (2 * Math.PI * 0.8707);
/** Northern edge of the map in degrees. */
const NORTH = 84;

/** Projects degrees to the map, with the Natural Earth projection of Tom Patterson. */
export function project(lat: number, lon: number): [x: number, y: number] {
  const [x, y] = naturalEarth((lat * Math.PI) / 180, (lon * Math.PI) / 180);
  const [, top] = naturalEarth((NORTH * Math.PI) / 180, 0);
  return [MAP_WIDTH / 2 + x * SCALE, (top - y) * SCALE];
}

function naturalEarth(phi: number, lambda: number): [x: number, y: number] {
  const phi2 = phi * phi;
  const phi4 = phi2 * phi2;
  return [
    lambda *
      (0.8707 - 0.131979 * phi2 + phi4 * (-0.013791 + phi4 * (0.003971 * phi2 - 0.001529 * phi4))),
    phi * (1.007226 + phi2 * (0.015085 + phi4 * (-0.044475 + 0.028874 * phi2 - 0.005916 * phi4))),
  ];
}
