import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../generator/emitters/openapi/index.js';
import type { Model } from '../../../generator/model/types.js';
import { albums, collection, field, kinds, named, oddNames } from '../models.js';

const extensions = ['x-svc-collection', 'x-svc-action', 'x-svc-access', 'x-svc-keep'];

/** Validates against a schema of the document; the pointer starts below `components`. */
const checkerOf = (model: Model) => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, ownProperties: true });
  formats.default(ajv);
  ajv.addVocabulary(['components', ...extensions]);
  ajv.addSchema({ $id: 'api', components: openApiDocument(model).components });
  return (pointer: string, payload: unknown): boolean => {
    const check = ajv.getSchema(`api#/components/${pointer}`);
    if (check === undefined) throw new Error(`no schema at ${pointer}`);
    return check(payload) === true;
  };
};

const check = checkerOf(albums());
const checkKinds = checkerOf(kinds());

describe('schemas of a collection', () => {
  it.each([
    ['a key for a to-one relation', { AlbumId: 1, ArtistId: 2 }, true],
    ['null for an item that is hidden', { ArtistId: null }, true],
    ['an item for a to-one relation', { ArtistId: { Name: null } }, true],
    ['part of a row', { Title: 'Mezzanine' }, true],
    ['exact decimals', { Price: '12345678.90' }, true],
    ['decimals as numbers', { Price: 1.5 }, false],
    ['null where the column has it', { Released: null }, true],
    ['null where the column has none', { Title: null }, false],
    ['a day that does not exist', { Released: '2026-02-30' }, false],
  ])('describe %s in a row that is read', (_, row, valid) => {
    expect(check('schemas/Album', row)).toBe(valid);
  });

  it.each([
    ['keys of a to-many relation', { albums: [1, 2] }, true],
    ['items of a to-many relation', { albums: [{ AlbumId: 1, ArtistId: 3 }] }, true],
    ['one key for a to-many relation', { albums: 1 }, false],
  ])('describe %s in a row that is read', (_, row, valid) => {
    expect(check('schemas/Artist', row)).toBe(valid);
  });

  it.each([
    ['the required fields', { Title: 'Mezzanine', ArtistId: 1 }, true],
    ['a decimal as text', { Title: 'Mezzanine', ArtistId: 1, Price: '9.99' }, true],
    ['a decimal as a number', { Title: 'Mezzanine', ArtistId: 1, Price: 9.99 }, true],
    ['a key of its own', { AlbumId: 7, Title: 'Mezzanine', ArtistId: 1 }, true],
    ['no required field', { ArtistId: 1 }, false],
    ['an unknown field', { Title: 'Mezzanine', ArtistId: 1, Year: 1998 }, false],
    ['an item under a to-one relation', { Title: 'Mezzanine', ArtistId: { Name: 'Massive Attack' } }, true],
    ['an unknown field of an item', { Title: 'Mezzanine', ArtistId: { Title: 'x' } }, false],
    ['a text that is too long', { Title: 'x'.repeat(161), ArtistId: 1 }, false],
    ['a number outside 32 bits', { Title: 'Mezzanine', ArtistId: 2 ** 31 }, false],
    ['a decimal with too many digits', { Title: 'Mezzanine', ArtistId: 1, Price: '123456789.00' }, false],
  ])('take %s on create: %j', (_, payload, valid) => {
    expect(check('schemas/AlbumCreate', payload)).toBe(valid);
  });

  it('take any single field on update, and none', () => {
    expect(check('schemas/AlbumUpdate', { Title: 'Protection' })).toBe(true);
    expect(check('schemas/AlbumUpdate', {})).toBe(true);
    expect(check('schemas/AlbumUpdate', { albums: [1] })).toBe(false);
  });

  it('take 64 bits as text or as a number', () => {
    expect(checkKinds('schemas/EverythingUpdate', { bigInteger: '9007199254740993' })).toBe(true);
    expect(checkKinds('schemas/EverythingUpdate', { bigInteger: 7 })).toBe(true);
    expect(checkKinds('schemas/EverythingUpdate', { bigInteger: '7.5' })).toBe(false);
  });

  it('exclude computed columns and do not require values that the server fills in', () => {
    expect(checkKinds('schemas/EverythingUpdate', { computed: 1 })).toBe(false);
    expect(check('schemas/SvcUsersCreate', {})).toBe(true);
    expect(check('schemas/SvcUsersCreate', { id: '0b7b1f5e-3f7a-4a57-8a3b-6f1f2c9d4e5a' })).toBe(true);
  });

  it('allow null in a singleton whose table is empty', () => {
    expect(checkKinds('schemas/Settings', { id: null, title: null })).toBe(true);
    expect(check('schemas/Artist', { ArtistId: null })).toBe(false);
  });

  it('describe concealed values as asterisks', () => {
    expect(check('schemas/SvcUsers', { token: '**********' })).toBe(true);
    expect(check('schemas/SvcUsers', { token: null })).toBe(true);
    expect(check('schemas/SvcUsers', { token: 'secret' })).toBe(false);
  });
});

describe('values on the wire', () => {
  it.each([
    ['id', '18446744073709551615', true],
    ['id', 1, false],
    ['bigInteger', '-9223372036854775808', true],
    ['small', 255, true],
    ['small', 256, false],
    ['decimal', '1.5', true],
    ['time', '23:59:59', true],
    ['time', '23:59', false],
    ['dateTime', '2026-01-31T12:00:00.123', true],
    ['dateTime', '2026-01-31T12:00:00.123Z', false],
    ['timestamp', '2026-01-31T12:00:00.123456Z', true],
    ['timestamp', '2026-01-31T12:00:00', false],
    ['uuid', '0b7b1f5e-3f7a-4a57-8a3b-6f1f2c9d4e5a', true],
    ['uuid', 'abc', false],
    ['json', [1, { a: null }], true],
    ['csv', ['a', 'b'], true],
    ['csv', 'a,b', false],
    ['csv', ['a,b'], false],
    ['time', '-838:59:59', true],
    ['choice', 'one', true],
    ['choice', null, true],
    ['choice', 'three', false],
    ['binary', 'AAAA', true],
    ['string', 'x'.repeat(21), false],
    ['string_or_null', null, true],
    ['float', 1.25, true],
    ['boolean', 1, false],
  ])('of %s: %j is %s', (name, value, valid) => {
    expect(checkKinds('schemas/Everything', { [name]: value })).toBe(valid);
  });

  it('show the defaults of the database, and no zero date', () => {
    const properties = openApiDocument(kinds()).components?.schemas?.['EverythingCreate'] as {
      properties: Record<string, object>;
    };
    expect(properties.properties['small']).toMatchObject({ default: 3 });
    expect(properties.properties['choice']).toMatchObject({ default: 'two' });
    expect(properties.properties['day']).not.toHaveProperty('default');
  });
});

describe('schemas of filters', () => {
  it.each([
    ['an operator of the type', { Title: { _icontains: 'love' } }, true],
    ['an operator of another type', { AlbumId: { _contains: 1 } }, false],
    ['a bare value', { AlbumId: 1 }, true],
    ['null', { Released: null }, true],
    ['a list', { AlbumId: { _in: [1, '2'] } }, true],
    ['an empty list', { AlbumId: { _in: [] } }, false],
    ['one bound', { AlbumId: { _between: [1] } }, false],
    ['a variable', { Released: { _gt: '$NOW(-1 year)' } }, true],
    ['logic', { _or: [{ Title: { _eq: 'a' } }, { _and: [{ AlbumId: { _gt: 3 } }] }] }, true],
    ['a path through a to-one relation', { ArtistId: { Name: { _eq: 'Air' } } }, true],
    ['an unknown field', { Year: { _eq: 1998 } }, false],
  ])('know %s', (_, filter, valid) => {
    expect(check('schemas/AlbumFilter', filter)).toBe(valid);
  });

  it.each([
    ['a path through a to-many relation', { albums: { Title: { _eq: 'a' } } }, true],
    ['some', { albums: { _some: { Price: { _gt: '10.00' } } } }, true],
    ['none', { albums: { _none: {} } }, true],
    ['an empty list', { albums: { _null: true } }, true],
    ['a comparison of the keys of a list', { albums: { _eq: 1 } }, true],
    ['an order of lists', { albums: { _gt: 1 } }, false],
  ])('know %s', (_, filter, valid) => {
    expect(check('schemas/ArtistFilter', filter)).toBe(valid);
  });

  it('allow only _null and _nnull for concealed values', () => {
    expect(check('schemas/SvcUsersFilter', { token: { _nnull: true } })).toBe(true);
    expect(check('schemas/SvcUsersFilter', { token: { _eq: 'secret' } })).toBe(false);
  });
});

describe('schemas of answers', () => {
  const list = 'responses/AlbumList/content/application~1json/schema';
  const bad = 'responses/BadRequest/content/application~1json/schema';

  it.each([
    ['a list', list, { data: [{ AlbumId: 1 }] }, true],
    ['a list with its counts', list, { data: [], meta: { total_count: 0 } }, true],
    ['a list without the envelope', list, [{ AlbumId: 1 }], false],
    [
      'an error',
      bad,
      { errors: [{ message: 'no', extensions: { code: 'INVALID_QUERY', reason: 'why' } }] },
      true,
    ],
    [
      'a code of another status',
      bad,
      { errors: [{ message: 'no', extensions: { code: 'INVALID_CREDENTIALS' } }] },
      false,
    ],
    ['no error', bad, { errors: [] }, false],
  ])('fit %s', (_, pointer, body, valid) => {
    expect(check(pointer, body)).toBe(valid);
  });
});

describe('examples', () => {
  it.each([
    ['related collections', albums()],
    ['every kind of field and collection', kinds()],
    ['odd names', named(oddNames.filter((name) => name !== '__proto__'))],
  ])('fit their own schemas, for %s', (_, model) => {
    const fits = checkerOf(model);
    const schemas = openApiDocument(model).components?.schemas ?? {};
    const failing = Object.entries(schemas).flatMap(([name, schema]) =>
      ('examples' in schema ? (schema.examples ?? []) : []).filter(
        (example) => !fits(`schemas/${name}`, example),
      ),
    );
    expect(failing).toEqual([]);
  });

  it('omit a column named $ref', () => {
    const model = albums();
    const odd = collection('Album', [field('$ref', 'string')]);
    const schema = openApiDocument({ ...model, collections: [odd] }).components?.schemas?.['Album'];
    expect(schema).toMatchObject({ examples: [{}] });
  });
});
