/**
 * Geometries and vectors as MySQL and MariaDB store them, and give and take them as bytes. A geometry is its SRID in 4 bytes, then
 * WKB in little-endian order; the longitude comes first in every system.
 * https://dev.mysql.com/doc/refman/9.0/en/gis-data-formats.html
 */
import type { FieldType } from '../../../contract/field-types.js';
import {
  geometryTypes,
  printCrs,
  type Geometry,
  type GeometryType,
  type PlacedGeometry,
} from '../../../contract/geometry.js';
import { shortestSingle } from './types.js';

/** Returns a geometry as GeoJSON. */
const geometryToJson = (bytes: Buffer): string => {
  const geometry = readGeometry({ bytes, at: 4 });
  return JSON.stringify({ ...geometry, ...printCrs(bytes.readUInt32LE(0)) });
};

interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

const readGeometry = (cursor: Cursor): Geometry => {
  const type = geometryTypes[cursor.bytes.readUInt32LE(cursor.at + 1) - 1] as GeometryType;
  cursor.at += headerLength;
  return type === 'GeometryCollection'
    ? { type, geometries: readList(cursor, readGeometry) }
    : { type, coordinates: forms[type].read(cursor) };
};

/** Byte order 1, type 4. */
const headerLength = 5;

const readList = <Item>(cursor: Cursor, read: (cursor: Cursor) => Item): Item[] => {
  const length = cursor.bytes.readUInt32LE(cursor.at);
  cursor.at += 4;
  return Array.from({ length }, () => read(cursor));
};

/** Returns the bytes of the canonical text of a geometry. */
const geometryToBytes = (text: string): Buffer => {
  const { srid, geometry } = JSON.parse(text) as PlacedGeometry;
  return Buffer.concat([uint32(srid), ...writeGeometry(geometry)]);
};

const writeGeometry = (geometry: Geometry): readonly Buffer[] => {
  const { type } = geometry;
  return type === 'GeometryCollection'
    ? [header(type), uint32(geometry.geometries.length), ...geometry.geometries.flatMap(writeGeometry)]
    : [header(type), ...forms[type].write(geometry.coordinates)];
};

const header = (type: GeometryType): Buffer =>
  Buffer.concat([Buffer.of(1), uint32(geometryTypes.indexOf(type) + 1)]);

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** The form of coordinates in bytes. */
interface Form {
  read(cursor: Cursor): unknown;
  write(coordinates: unknown): readonly Buffer[];
}

const position: Form = {
  read(cursor) {
    const { bytes, at } = cursor;
    cursor.at += 16;
    return [bytes.readDoubleLE(at), bytes.readDoubleLE(at + 8)];
  },
  write(coordinates) {
    const [x, y] = coordinates as readonly [number, number];
    const bytes = Buffer.alloc(16);
    bytes.writeDoubleLE(x);
    bytes.writeDoubleLE(y, 8);
    return [bytes];
  },
};

const listOf = (item: Form): Form => ({
  read: (cursor) => readList(cursor, (each) => item.read(each)),
  write: (coordinates) => {
    const items = coordinates as readonly unknown[];
    return [uint32(items.length), ...items.flatMap((each) => item.write(each))];
  },
});

/** A part of a geometry that has a header of its own. */
const part = (type: GeometryType, form: Form): Form => ({
  read(cursor) {
    cursor.at += headerLength;
    return form.read(cursor);
  },
  write: (coordinates) => [header(type), ...form.write(coordinates)],
});

const line = listOf(position);
const polygon = listOf(line);

const forms: Readonly<Record<Exclude<GeometryType, 'GeometryCollection'>, Form>> = {
  Point: position,
  LineString: line,
  Polygon: polygon,
  MultiPoint: listOf(part('Point', position)),
  MultiLineString: listOf(part('LineString', line)),
  MultiPolygon: listOf(part('Polygon', polygon)),
};

/** Returns a vector, which is floats of 4 bytes, as a list of numbers. */
const vectorToJson = (bytes: Buffer): string =>
  `[${Array.from({ length: bytes.length / 4 }, (_, index) => shortestSingle(bytes.readFloatLE(index * 4))).join()}]`;

/** Returns the bytes of a list of numbers. */
const vectorToBytes = (text: string): Buffer => {
  const numbers = JSON.parse(text) as readonly number[];
  const bytes = Buffer.alloc(numbers.length * 4);
  numbers.forEach((number, index) => bytes.writeFloatLE(number, index * 4));
  return bytes;
};

interface ByteFormat {
  /** Name of the type in the driver. */
  readonly driverType: string;
  readonly toJson: (bytes: Buffer) => string;
  /** Takes the canonical text of a value. */
  readonly toBytes: (text: string) => Buffer;
}

/** Field types whose values are bytes in a format of the database. */
export const byteFormats: Readonly<Partial<Record<FieldType, ByteFormat>>> = {
  geometry: { driverType: 'GEOMETRY', toJson: geometryToJson, toBytes: geometryToBytes },
  vector: { driverType: 'VECTOR', toJson: vectorToJson, toBytes: vectorToBytes },
};
