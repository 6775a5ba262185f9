/** Geometry columns of MySQL and MariaDB, and values of GeoJSON that they hold. */
import { opaque } from './kinds.js';
import type { ColumnKinds } from './kinds.js';

export const geo = (type: string, coordinates: unknown): object => ({ type, coordinates });

/** Names a system of coordinates as GeoJSON did before RFC 7946. */
export const epsg = (srid: number): object => ({ type: 'name', properties: { name: `EPSG:${srid}` } });

export const triangle = [
  [0, 0],
  [0.1, 1e-9],
  [1, 1],
  [0, 0],
];
const hole = [
  [0.1, 0.1],
  [0.2, 0.1],
  [0.2, 0.15],
  [0.1, 0.1],
];
const line = [
  [179.999_999_999_999_97, -89.123_456_789_012_34],
  [-0.5, 12],
];

const point = geo('Point', [8.123_456_789_012_344, 50.1]);
const nested = {
  type: 'GeometryCollection',
  geometries: [point, geo('LineString', line), { type: 'GeometryCollection', geometries: [point] }],
};

export const geometries: ColumnKinds = {
  point: opaque(point, { ...geo('Point', [1000, -2000]), crs: null }, { ...point, crs: epsg(3857) }),
  linestring: opaque(geo('LineString', line)),
  polygon: opaque(geo('Polygon', [triangle]), geo('Polygon', [triangle, hole])),
  multipoint: opaque(geo('MultiPoint', line)),
  multilinestring: opaque(geo('MultiLineString', [line, triangle])),
  multipolygon: opaque(geo('MultiPolygon', [[triangle, hole], [triangle]])),
  geometrycollection: opaque({ type: 'GeometryCollection', geometries: [] }, nested, {
    ...nested,
    crs: null,
  }),
  geometry: opaque(point, geo('Polygon', [triangle]), nested),
};
