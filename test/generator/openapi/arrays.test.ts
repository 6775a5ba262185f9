/** Columns that hold arrays are lists, in schemas and in examples. */
import { expect, it } from 'vitest';
import { openApiDocument } from '../../../generator/emitters/openapi/index.js';
import type { Field, Model } from '../../../generator/model/types.js';
import { albums } from '../models.js';

const toArray = (field: Field): Field =>
  field.name === 'Title'
    ? { ...field, type: 'json', element: { ...field, type: 'integer', length: null, bits: 32 } }
    : field;

/** The albums, with titles that are arrays of numbers. */
const listed = (): Model => {
  const { collections, ...model } = albums();
  const [album, ...others] = collections;
  if (album === undefined) throw new Error('there are no albums');
  return { ...model, collections: [{ ...album, fields: album.fields.map(toArray) }, ...others] };
};

it('describes arrays', () => {
  const { schemas = {} } = openApiDocument(listed()).components ?? {};
  expect(schemas['Album']).toMatchObject({
    properties: { Title: { type: 'array', items: {} } },
    examples: [{ Title: [1] }],
  });
  expect(schemas['AlbumCreate']).toMatchObject({ properties: { Title: { type: 'array', items: {} } } });
});
