/** Parses GeoJSON geometries and vectors as clients send them. */
import {
  geometryTypes,
  wgs84,
  type Geometry,
  type GeometryShape,
  type GeometryType,
  type PlacedGeometry,
} from '../../contract/geometry.js';
import { accept, refuse, type Reader } from './parsed-value.js';
import { hasLoneSurrogate, isTooDeep } from '../request/body.js';

/** Says what a client may send instead; a part of the sentence "expected …". */
class Unfit extends Error {}

/** Parses a GeoJSON geometry, or text of one. Its canonical form is the text of a `PlacedGeometry`. */
export const readGeometry: Reader = (value, { geometry: shape }) => {
  try {
    return accept(JSON.stringify(placeGeometry(parseText(value), shape ?? { type: null, srid: null })));
  } catch (error) {
    if (error instanceof Unfit) return refuse(error.message);
    throw error;
  }
};

/** Returns the value of JSON text, and undefined for text that is not JSON; returns other values as they are. */
const parseText = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  if (isTooDeep(value) || hasLoneSurrogate(value)) return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
};

const example = 'such as {"type":"Point","coordinates":[8.5,50.1]}';

const placeGeometry = (value: unknown, shape: GeometryShape): PlacedGeometry => {
  const { crs, ...rest } = isRecord(value) ? value : { crs: undefined };
  const srid = crs === undefined ? (shape.srid ?? wgs84) : readCrs(crs);
  if (shape.srid !== null && srid !== shape.srid) throw new Unfit(`coordinates in EPSG:${shape.srid}`);
  const geometry = toGeometry(rest, srid);
  if (shape.type === null || geometry.type === shape.type) return { srid, geometry };
  throw new Unfit(`a GeoJSON geometry of type ${shape.type}`);
};

type Members = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names of systems: of EPSG, as URN or short, and that of RFC 7946. */
const crsName = /^(?:urn:ogc:def:crs:)?(?:EPSG:(?:[\d.]*:)?(?<srid>\d{1,10})|OGC:1\.3:CRS84)$/i;
const maxSrid = 2 ** 32 - 1;

const readCrs = (crs: unknown): number => {
  if (crs === null) return 0;
  const { type, properties } = isRecord(crs) ? crs : ({} as Members);
  const name = isRecord(properties) ? properties.name : undefined;
  const found = type === 'name' && typeof name === 'string' ? crsName.exec(name) : null;
  const srid = Number(found?.groups?.srid ?? wgs84);
  if (found !== null && srid > 0 && srid <= maxSrid) return srid;
  throw new Unfit('a crs of null, or such as {"type":"name","properties":{"name":"EPSG:3857"}}');
};

/** Copies a geometry that is valid. */
const toGeometry = (value: unknown, srid: number): Geometry => {
  const { type, bbox: _, ...members } = isRecord(value) ? value : ({} as Members);
  if (!isType(type)) throw new Unfit(`a GeoJSON geometry ${example}`);
  const name = type === 'GeometryCollection' ? 'geometries' : 'coordinates';
  const { [name]: parts, ...others } = members;
  const [other] = Object.keys(others);
  if (other !== undefined) throw new Unfit(`a ${type} with "${name}", without the member "${other}"`);
  if (type !== 'GeometryCollection') return { type, coordinates: checks[type](parts, { type, srid }) };
  if (!Array.isArray(parts)) throw new Unfit('a GeometryCollection with a list of geometries');
  return { type, geometries: parts.map((each) => toGeometry(each, srid)) };
};

const isType = (type: unknown): type is GeometryType => geometryTypes.some((each) => each === type);

interface Context {
  readonly type: GeometryType;
  readonly srid: number;
}

/** Returns the coordinates if they are valid. */
type Check = (value: unknown, context: Context) => unknown;

const toPosition: Check = (value, { type, srid }) => {
  if (!Array.isArray(value) || value.length !== 2 || !value.every(Number.isFinite))
    throw new Unfit(`a ${type} whose positions are two numbers each`);
  const [longitude, latitude] = value as [number, number];
  if (srid === wgs84 && !(longitude > -180 && longitude <= 180 && latitude >= -90 && latitude <= 90)) {
    throw new Unfit(
      'a longitude greater than -180 and up to 180, then a latitude from -90 to 90; ' +
        'a plane without longitudes has "crs": null',
    );
  }
  return value;
};

const isClosed = (ring: readonly unknown[]): boolean => String(ring[0]) === String(ring.at(-1));
const always = (): boolean => true;

const listOf =
  (
    each: Check,
    expected: string,
    { minimum = 1, isValid = always }: { readonly minimum?: number; readonly isValid?: typeof isClosed } = {},
  ): Check =>
  (value, context) => {
    if (Array.isArray(value) && value.length >= minimum && value.every(Array.isArray)) {
      const list = value.map((part) => each(part, context));
      if (isValid(list)) return list;
    }
    throw new Unfit(`a ${context.type} whose coordinates are ${expected}`);
  };

const lineOf = (expected: string): Check => listOf(toPosition, expected, { minimum: 2 });
const rings = 'rings of four or more positions, of which the last is the first';
const polygonOf = (expected: string): Check =>
  listOf(listOf(toPosition, expected, { minimum: 4, isValid: isClosed }), expected);

const checks: Readonly<Record<Exclude<GeometryType, 'GeometryCollection'>, Check>> = {
  Point: toPosition,
  LineString: lineOf('two or more positions'),
  Polygon: polygonOf(rings),
  MultiPoint: listOf(toPosition, 'one or more positions'),
  MultiLineString: listOf(lineOf('lines of two or more positions'), 'lines of two or more positions'),
  MultiPolygon: listOf(polygonOf(`polygons, which are ${rings}`), `polygons, which are ${rings}`),
};

/** Parses a list of numbers, or text of one; numbers are rounded to four bytes when they are stored. */
export const readVector: Reader = (value, { length }) => {
  const list = parseText(value);
  const expected = `a list of 1 to ${length ?? 'any'} numbers in the range of a float of 4 bytes`;
  if (!Array.isArray(list) || list.length === 0) return refuse(expected);
  if (!list.every((each) => typeof each === 'number' && Number.isFinite(Math.fround(each))))
    return refuse(expected);
  if (length !== undefined && list.length > length) return refuse(expected, 'length');
  return accept(JSON.stringify(list));
};
