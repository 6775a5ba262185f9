/** Columns that hold arrays are lists, in schemas and in examples. */
import { expect, it } from 'vitest';
import { openApiDocument } from '../../../generator/emitters/openapi/index.js';
import type { Field, Model } from '../../../generator/model/types.js';
import { albums } from '../models.js';

/** The albums, with titles that are arrays of numbers. */
const listed = (): Model => {
  const model = albums();
  const toArray = (field: Field): Field =>
    field.name === 'Title'
      ? { ...field, type: 'json', element: { ...field, type: 'integer', length: null, bits: 32 } }
      : field;
  return {
    ...model,
    collections: model.collections.map((collection) => ({
      ...collection,
      fields: collection.fields.map(toArray),
    })),
  };
};

it('describes arrays', () => {
  const { schemas = {} } = openApiDocument(listed()).components ?? {};
  expect(schemas['Album']).toMatchObject({
    properties: { Title: { type: 'array', items: {} } },
    examples: [{ Title: [1] }],
  });
  expect(schemas['AlbumCreate']).toMatchObject({ properties: { Title: { type: 'array', items: {} } } });
});
