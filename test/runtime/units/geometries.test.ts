/** Geometries and vectors as clients send them: what is taken, in which form it is stored, and what is refused. */
import { describe, expect, it } from 'vitest';
import type { FieldOptions } from '../../../contract/fields.js';
import type { GeometryShape } from '../../../contract/geometry.js';
import { readValue } from '../../../runtime/plan/values.js';

/** The stored JSON of a geometry, or what was expected in its place. */
const read = (value: unknown, shape?: Partial<GeometryShape>): unknown => {
  const geometry = shape && { type: null, srid: null, ...shape };
  const result = readValue({ type: 'geometry', ...(geometry && { geometry }) }, value);
  return result.ok ? JSON.parse(String(result.value)) : `${result.problem}: ${result.expected}`;
};

const point = { type: 'Point', coordinates: [8.5, 50.1] };
const named = (name: unknown) => ({ type: 'name', properties: { name } });
/** A point on a plane, where coordinates may be any numbers. */
const onPlane = (geometry: object) => ({ ...geometry, crs: null });
const square = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
];
const line = square.slice(0, 2);

describe('a geometry', () => {
  it.each<[string, unknown]>([
    ['Point', [1, 2]],
    ['LineString', line],
    ['Polygon', [square, square]],
    ['MultiPoint', [[1, 2]]],
    ['MultiLineString', [line, square]],
    ['MultiPolygon', [[square], [square, square]]],
  ])('may be a %s', (type, coordinates) => {
    const geometry = { type, coordinates };
    expect(read(geometry)).toEqual({ srid: 4326, geometry });
  });

  it('may be a collection of others, which may be empty', () => {
    const geometries = [point, { type: 'GeometryCollection', geometries: [] }];
    const geometry = { type: 'GeometryCollection', geometries };
    expect(read(geometry)).toEqual({ srid: 4326, geometry });
  });

  it('may be given as text', () => {
    expect(read(JSON.stringify(point))).toEqual({ srid: 4326, geometry: point });
  });

  it('is stored without the box around it', () => {
    expect(read({ ...point, bbox: [8, 50, 9, 51] })).toEqual({ srid: 4326, geometry: point });
  });
});

/** Text of empty collections in each other. */
const nested = (depth: number): string =>
  '{"type":"GeometryCollection","geometries":['.repeat(depth) + ']}'.repeat(depth);

const noGeometry = 'type: a GeoJSON geometry such as {"type":"Point","coordinates":[8.5,50.1]}';

describe('what is no geometry is refused', () => {
  it.each<[unknown]>([
    [5],
    [true],
    [[point]],
    ['{'],
    ['[]'],
    [{}],
    [{ type: 'Circle', coordinates: [1, 2] }],
    [{ type: 'Feature', geometry: point }],
  ])('%j', (value) => {
    expect(read(value)).toBe(noGeometry);
  });

  it('as is text that nests deeper than a body may, or that has half of a surrogate pair', () => {
    expect(read(nested(200))).toMatchObject({ srid: 4326 });
    expect(read(nested(400))).toBe(noGeometry);
    expect(read(JSON.stringify({ ...point, bbox: '\ud800' }))).toBe(noGeometry);
  });

  it.each<[string, object, string]>([
    [
      'a Point',
      { type: 'Point', geometries: [] },
      'a Point with "coordinates", without the member "geometries"',
    ],
    ['a Point', { ...point, properties: {} }, 'a Point with "coordinates", without the member "properties"'],
    [
      'a GeometryCollection',
      { type: 'GeometryCollection', coordinates: [] },
      'a GeometryCollection with "geometries", without the member "coordinates"',
    ],
    [
      'a part of a GeometryCollection',
      { type: 'GeometryCollection', geometries: [{ ...point, crs: null }] },
      'a Point with "coordinates", without the member "crs"',
    ],
  ])('as are members that %s does not have', (_, value, want) => {
    expect(read(value)).toBe(`type: ${want}`);
  });

  it.each([[undefined], [{}], ['x']])(
    'as is a collection of something else than a list: %j',
    (geometries) => {
      const want = 'type: a GeometryCollection with a list of geometries';
      expect(read({ type: 'GeometryCollection', geometries })).toBe(want);
      expect(
        read({ type: 'GeometryCollection', geometries: [{ type: 'GeometryCollection', geometries }] }),
      ).toBe(want);
    },
  );
});

const positions = (type: string): string => `a ${type} whose positions are two numbers each`;
const coordinates = (type: string, expected: string): string => `a ${type} whose coordinates are ${expected}`;

describe('coordinates are refused', () => {
  const rings = 'rings of four or more positions, of which the last is the first';
  const lines = 'lines of two or more positions';
  const polygons = `polygons, which are ${rings}`;

  it.each<[string, unknown, string]>([
    ['Point', undefined, positions('Point')],
    ['Point', [1], positions('Point')],
    ['Point', [1, 2, 3], positions('Point')],
    ['Point', ['1', 2], positions('Point')],
    ['Point', [1, null], positions('Point')],
    ['Point', { length: 2 }, positions('Point')],
    ['LineString', [[1, 2]], coordinates('LineString', 'two or more positions')],
    ['LineString', [1, 2], coordinates('LineString', 'two or more positions')],
    ['LineString', [[1, 2], 3], coordinates('LineString', 'two or more positions')],
    ['LineString', 'ab', coordinates('LineString', 'two or more positions')],
    ['LineString', [[1, 2], [3]], positions('LineString')],
    ['Polygon', [], coordinates('Polygon', rings)],
    ['Polygon', square, coordinates('Polygon', rings)],
    ['Polygon', [square.slice(1)], coordinates('Polygon', rings)],
    ['Polygon', [[...line, ...line]], coordinates('Polygon', rings)],
    [
      'Polygon',
      [
        square,
        [
          [0, 0],
          [1, 1],
          [0, 0],
        ],
      ],
      coordinates('Polygon', rings),
    ],
    ['MultiPoint', [], coordinates('MultiPoint', 'one or more positions')],
    ['MultiPoint', [[1, 2], [3]], positions('MultiPoint')],
    ['MultiLineString', [], coordinates('MultiLineString', lines)],
    ['MultiLineString', [line, [[1, 2]]], coordinates('MultiLineString', lines)],
    ['MultiPolygon', [], coordinates('MultiPolygon', polygons)],
    ['MultiPolygon', [[square], []], coordinates('MultiPolygon', polygons)],
    ['MultiPolygon', [[square.slice(1)]], coordinates('MultiPolygon', polygons)],
  ])('of a %s: %j', (type, value, want) => {
    expect(read({ type, coordinates: value })).toBe(`type: ${want}`);
  });

  it('that are not finite', () => {
    expect(read(onPlane({ type: 'Point', coordinates: [1, Number.NaN] }))).toBe(
      `type: ${positions('Point')}`,
    );
  });
});

describe('a position of WGS 84', () => {
  it.each<[number, number, boolean]>([
    [180, 0, true],
    [180.001, 0, false],
    [-179.999, 0, true],
    [-180, 0, false],
    [0, 90, true],
    [0, 90.001, false],
    [0, -90, true],
    [0, -90.001, false],
  ])('at longitude %d and latitude %d is taken: %j', (longitude, latitude, isTaken) => {
    const geometry = { type: 'Point', coordinates: [longitude, latitude] };
    const refusal =
      'type: a longitude greater than -180 and up to 180, then a latitude from -90 to 90; a plane without longitudes has "crs": null';
    expect(read(geometry)).toEqual(isTaken ? { srid: 4326, geometry } : refusal);
    expect(read(onPlane(geometry))).toEqual({ srid: 0, geometry });
  });
});

describe('the system of coordinates', () => {
  it.each<[unknown, number]>([
    [undefined, 4326],
    [null, 0],
    [named('EPSG:3857'), 3857],
    [named('epsg:3857'), 3857],
    [named('urn:ogc:def:crs:EPSG::3857'), 3857],
    [named('urn:ogc:def:crs:EPSG:6.9:3857'), 3857],
    [named('OGC:1.3:CRS84'), 4326],
    [named('urn:ogc:def:crs:OGC:1.3:CRS84'), 4326],
    [named('EPSG:1'), 1],
    [named('EPSG:4294967295'), 4_294_967_295],
  ])('of the crs %j is %d', (crs, srid) => {
    expect(read({ ...point, crs })).toEqual({ srid, geometry: point });
  });

  it.each<[unknown]>([
    ['EPSG:3857'],
    [{}],
    [[named('EPSG:3857')]],
    [{ type: 'name' }],
    [{ type: 'name', properties: null }],
    [{ type: 'link', properties: { name: 'EPSG:3857' } }],
    [named(3857)],
    [named('3857')],
    [named('EPSG:')],
    [named('EPSG:x')],
    [named('EPSG:0')],
    [named('EPSG:4294967296')],
    [named('EPSG:00000003857')],
    [named('xEPSG:3857')],
    [named('EPSG:3857x')],
    [named('OGC:1x3:CRS84')],
  ])('cannot be %j', (crs) => {
    expect(read({ ...point, crs })).toBe(
      'type: a crs of null, or such as {"type":"name","properties":{"name":"EPSG:3857"}}',
    );
  });

  it('is that of the column unless the geometry names another', () => {
    const far = { type: 'Point', coordinates: [1000, 2000] };
    expect(read(far, { srid: 3857 })).toEqual({ srid: 3857, geometry: far });
    expect(read({ ...far, crs: named('EPSG:3857') }, { srid: 3857 })).toEqual({ srid: 3857, geometry: far });
    expect(read({ ...far, crs: null }, { srid: 3857 })).toBe('type: coordinates in EPSG:3857');
    expect(read({ ...far, crs: null }, { srid: 0 })).toEqual({ srid: 0, geometry: far });
  });
});

it('a column of one type of geometry takes that type only', () => {
  expect(read(point, { type: 'Point' })).toEqual({ srid: 4326, geometry: point });
  expect(read({ type: 'MultiPoint', coordinates: [[1, 2]] }, { type: 'Point' })).toBe(
    'type: a GeoJSON geometry of type Point',
  );
});

const readVector = (value: unknown, options: FieldOptions = {}): unknown => {
  const result = readValue({ type: 'vector', ...options }, value);
  return result.ok ? result.value : `${result.problem}: ${result.expected}`;
};

describe('a vector', () => {
  it.each<[unknown, string]>([
    [[1, -2.5], '[1,-2.5]'],
    ['[1, 2]', '[1,2]'],
    [[3.4e38], '[3.4e+38]'],
    [[1, 2, 3], '[1,2,3]'],
  ])('is a list of numbers, or text of one: %j', (value, want) => {
    expect(readVector(value, { length: 3 })).toBe(want);
    expect(readVector(value)).toBe(want);
  });

  it.each<[unknown]>([[[]], [{ length: 1 }], ['x'], [5], [['1']], [[1, null]], [[3.5e38]], [[1, '2']]])(
    'is not %j',
    (value) => {
      expect(readVector(value, { length: 3 })).toBe(
        'type: a list of 1 to 3 numbers in the range of a float of 4 bytes',
      );
    },
  );

  it('has as many numbers as its column at most', () => {
    expect(readVector([1, 2, 3, 4], { length: 3 })).toBe(
      'length: a list of 1 to 3 numbers in the range of a float of 4 bytes',
    );
    expect(readVector([])).toContain('a list of 1 to any numbers');
  });
});
