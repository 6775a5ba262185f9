/** Geometries and vectors that a column does not hold are rejected before any statement, with what it does hold. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { epsg, geo } from './geometries.js';

const tables = `create table place (id integer primary key, p point, l linestring, a polygon, g geometry, mp multipoint,
  gc geometrycollection);
insert into place values (1, st_geomfromtext('POINT(3 4)'), null, null, null, null, null);`;

const wrong: readonly (readonly [field: string, value: unknown, said: string])[] = [
  ['p', 'POINT(1 2)', 'a GeoJSON geometry'],
  ['p', [1, 2], 'a GeoJSON geometry'],
  ['p', { coordinates: [1, 2] }, 'a GeoJSON geometry'],
  ['p', geo('Feature', [1, 2]), 'a GeoJSON geometry'],
  ['p', { type: 'Feature', geometry: geo('Point', [1, 2]), properties: {} }, 'a GeoJSON geometry'],
  [
    'p',
    geo('LineString', [
      [1, 2],
      [3, 4],
    ]),
    'a GeoJSON geometry of type Point',
  ],
  ['p', { ...geo('Point', [1, 2]), name: 'x' }, 'without the member \\"name\\"'],
  ['p', geo('Point', [1, 2, 3]), 'two numbers'],
  ['p', geo('Point', [1]), 'two numbers'],
  ['p', geo('Point', ['1', '2']), 'two numbers'],
  ['p', geo('Point', [181, 2]), 'longitude'],
  ['p', geo('Point', [-180, 2]), 'longitude'],
  ['p', geo('Point', [1, 90.5]), 'latitude'],
  ['p', { ...geo('Point', [1, 2]), crs: 'EPSG:4326' }, 'a crs'],
  ['p', { ...geo('Point', [1, 2]), crs: epsg(4_294_967_296) }, 'a crs'],
  ['l', geo('LineString', [[1, 2]]), 'two or more positions'],
  ['l', geo('LineString', [1, 2]), 'two or more positions'],
  [
    'a',
    geo('Polygon', [
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ],
    ]),
    'rings',
  ],
  ['a', geo('Polygon', []), 'rings'],
  ['mp', geo('MultiPoint', []), 'positions'],
  ['gc', geo('GeometryCollection', []), 'geometries'],
  ['gc', { type: 'GeometryCollection', geometries: [{ ...geo('Point', [1, 2]), crs: null }] }, 'crs'],
  ['gc', { type: 'GeometryCollection', geometries: [geo('Point', [1, 2, 3])] }, 'two numbers'],
  ['g', { type: 'Circle', coordinates: [1, 2] }, 'a GeoJSON geometry'],
];

describe.each(['mariadb', 'mysql'] as const)('geometries of %s', (dialect) => {
  const server = useServer({ dialect, sql: tables });
  const patch = async (body: unknown): Promise<{ readonly status: number; readonly text: string }> =>
    server().request('PATCH', '/items/place/1', { as: 'admin', body });

  it.each(wrong)('rejects %s = %j', async (field, value, said) => {
    const { status, text } = await patch({ [field]: value });
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining(said) });
    expect(text).toContain(`"${field}"`);
  });

  it.each([
    ['text of JSON', JSON.stringify(geo('Point', [1, 2])), geo('Point', [1, 2])],
    ['a bounding box, which it drops', { ...geo('Point', [1, 2]), bbox: [1, 2, 1, 2] }, geo('Point', [1, 2])],
    [
      'the URN of a system of coordinates',
      {
        ...geo('Point', [1, 2]),
        crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::3857' } },
      },
      { ...geo('Point', [1, 2]), crs: epsg(3857) },
    ],
    [
      'the URN of WGS 84',
      {
        ...geo('Point', [1, 2]),
        crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:OGC:1.3:CRS84' } },
      },
      geo('Point', [1, 2]),
    ],
  ])('takes %s', async (_, sent, stored) => {
    expect((await patch({ p: sent })).status).toBe(200);
    const { data } = await server().request('GET', '/items/place/1?fields=p', { as: 'admin' });
    expect(data).toEqual({ p: stored });
  });

  it('stores longitude and latitude where the functions of the database look for them', async () => {
    await patch({ p: geo('Point', [8.5, 50.25]) });
    const longitude = dialect === 'mysql' ? 'st_longitude(p)' : 'st_x(p)';
    const rows = await server().database.query(
      `select ${longitude} as lon, st_srid(p) as srid from place where id = 1`,
    );
    expect(rows).toEqual([{ lon: 8.5, srid: 4326 }]);
  });

  it('names the fields that a geometry has', async () => {
    const path = `/items/place?filter=${JSON.stringify({ p: { _eq: 'x' } })}`;
    const { status, text } = await server().request('GET', path, { as: 'admin' });
    expect(status).toBe(400);
    expect(text).toContain('_nnull');
  });
});

describe('systems of coordinates and vectors of mysql', () => {
  const server = useServer({
    dialect: 'mysql',
    sql: `create table place (id integer primary key, p point srid 3857, g geometry, v vector(3));
      insert into place (id) values (1);`,
  });
  const patch = async (body: unknown): Promise<{ readonly status: number; readonly text: string }> =>
    server().request('PATCH', '/items/place/1', { as: 'admin', body });

  it('a column with its own system takes no other', async () => {
    const { status, text } = await patch({ p: { ...geo('Point', [1, 2]), crs: epsg(4326) } });
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining('EPSG:3857') });
    expect((await patch({ p: geo('Point', [100_000, 2]) })).text).toContain('EPSG:3857');
  });

  it('a system that the database does not know is rejected', async () => {
    const { status, text } = await patch({ g: { ...geo('Point', [1, 2]), crs: epsg(999_999) } });
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining('FAILED_VALIDATION') });
  });

  it.each([
    [[], '1 to 3 numbers'],
    [[1, null], '1 to 3 numbers'],
    [[1, '2'], '1 to 3 numbers'],
    [[[1, 2]], '1 to 3 numbers'],
    [[1e39], '1 to 3 numbers'],
    [{ 0: 1 }, '1 to 3 numbers'],
    [[1, 2, 3, 4], '1 to 3 numbers'],
    ['[1,', '1 to 3 numbers'],
  ])('rejects the vector %j', async (value, said) => {
    const { status, text } = await patch({ v: value });
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining(said) });
  });

  it('takes the text of a vector', async () => {
    expect((await patch({ v: '[1, 0.5]' })).status).toBe(200);
    const { data } = await server().request('GET', '/items/place/1?fields=v', { as: 'admin' });
    expect(data).toEqual({ v: [1, 0.5] });
  });
});
