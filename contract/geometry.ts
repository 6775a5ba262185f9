/** Geometries as GeoJSON (RFC 7946): their types, systems of coordinates, and JSON Schema. */
import type { JsonSchema } from './field-shapes.js';

/** Types of geometries in the order of their numbers in WKB, from 1. */
export const geometryTypes = [
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
] as const;

export type GeometryType = (typeof geometryTypes)[number];

/** Geometries that a column holds. */
export interface GeometryShape {
  /** Null for any. */
  readonly type: GeometryType | null;
  /** The identifier of the only system of coordinates; null for any, given by each value. */
  readonly srid: number | null;
}

/** A geometry without its system of coordinates. */
export type Geometry =
  | { readonly type: Exclude<GeometryType, 'GeometryCollection'>; readonly coordinates: unknown }
  | { readonly type: 'GeometryCollection'; readonly geometries: readonly Geometry[] };

/** A geometry with the identifier of its system of coordinates: as text, the form that every database takes. */
export interface PlacedGeometry {
  readonly srid: number;
  readonly geometry: Geometry;
}

/** The system of RFC 7946: longitude and latitude in degrees, in this order. */
export const wgs84 = 4326;

/**
 * Returns the member `crs` of a system, as GeoJSON had it before RFC 7946: null for a plane without a system, and none for
 * WGS 84.
 */
export const printCrs = (srid: number): { readonly crs?: unknown } => {
  if (srid === wgs84) return {};
  return { crs: srid === 0 ? null : { type: 'name', properties: { name: `EPSG:${srid}` } } };
};

const crsSchema: JsonSchema = {
  description: 'The system of coordinates where that is not WGS 84; null for a plane without one.',
  type: ['object', 'null'],
  properties: {
    type: { const: 'name' },
    properties: {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
    },
  },
  required: ['type', 'properties'],
};

/** Number of lists around the positions of a geometry. */
const depths = { Point: 0, LineString: 1, Polygon: 2, MultiPoint: 1, MultiLineString: 2, MultiPolygon: 3 };

const position: JsonSchema = { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 };

const listsOf = (items: JsonSchema, depth: number): JsonSchema =>
  depth === 0 ? items : listsOf({ type: 'array', items, minItems: 1 }, depth - 1);

/** Returns the schema of a column's geometries. */
export const geometrySchema = ({ type }: GeometryShape): JsonSchema => ({
  type: 'object',
  properties: {
    type: type === null ? { enum: [...geometryTypes] } : { const: type },
    ...memberSchema(type),
    crs: crsSchema,
  },
  required: [
    'type',
    ...(type === null ? [] : [type === 'GeometryCollection' ? 'geometries' : 'coordinates']),
  ],
});

const memberSchema = (type: GeometryType | null): JsonSchema => {
  const geometries = { type: 'array', items: { type: 'object' } };
  if (type === null) return { coordinates: { type: 'array', items: {} }, geometries };
  return type === 'GeometryCollection' ? { geometries } : { coordinates: listsOf(position, depths[type]) };
};

const corner = [8.5, 50.1];
const ring = [
  [8, 50],
  [9, 50],
  [9, 51],
  [8, 50],
];

/** Returns a geometry of a type as an example. */
export const geometryExample = ({ type }: GeometryShape): Geometry => {
  switch (type) {
    case null:
    case 'Point':
      return { type: 'Point', coordinates: corner };
    case 'LineString':
    case 'MultiPoint':
      return { type, coordinates: ring.slice(0, 2) };
    case 'Polygon':
    case 'MultiLineString':
      return { type, coordinates: [ring] };
    case 'MultiPolygon':
      return { type, coordinates: [[ring]] };
    case 'GeometryCollection':
      return { type, geometries: [{ type: 'Point', coordinates: corner }] };
  }
};
