/** Stems of operation ids and component names: each name of a document is used once. */
import { describe, expect, it } from 'vitest';
import { nameStems } from '../../../generator/model/operation-stems.js';
import type { Collection, Model } from '../../../generator/model/types.js';

interface Taken {
  readonly operations?: readonly string[];
  readonly queueModels?: readonly string[];
}

/** The stems of collections with these types, each called like its type. */
const stemsOf = (types: readonly string[], { operations = [], queueModels = [] }: Taken = {}) => {
  const model = {
    collections: types.map((type) => ({ name: type, names: { type } }) as Collection),
    operations: operations.map((id) => ({ id })),
    queueModels: queueModels.map((type) => ({ names: { type } })),
  };
  return Object.fromEntries(nameStems(model as unknown as Model));
};

describe('the stem of a collection', () => {
  it('is its type', () => {
    expect(stemsOf(['Album', 'Artist_2'])).toEqual({ Album: 'Album', Artist_2: 'Artist_2' });
  });

  it('has other letters as code points', () => {
    expect(stemsOf(['Straße'])).toEqual({ Straße: 'Stra_xdf_e' });
    expect(stemsOf(['A😀'])).toEqual({ 'A😀': 'A_x1f600_' });
  });

  it.each(['Create', 'Update', 'Filter', 'Query', 'WriteQuery'])(
    'is numbered if another collection with %s has the same stem, in any order',
    (suffix) => {
      const long = `Album${suffix}`;
      for (const types of [
        ['Album', long],
        [long, 'Album'],
      ])
        expect(stemsOf(types)).toEqual({ Album: 'Album', [long]: `${long}2` });
    },
  );

  it.each(['list', 'search', 'read', 'create', 'update', 'updateMany', 'delete', 'deleteMany'])(
    'is numbered where an operation is called %sAlbum',
    (verb) => {
      expect(stemsOf(['Album'], { operations: [`${verb}Album`] })).toEqual({ Album: 'Album2' });
    },
  );

  it('is numbered until it is free', () => {
    expect(stemsOf(['Album'], { operations: ['listAlbum', 'readAlbum2'] })).toEqual({ Album: 'Album3' });
  });

  it.each(['Input', 'Output'])('is numbered where a queue model has the %s of that name', (suffix) => {
    expect(stemsOf([`Image${suffix}`], { queueModels: ['Image'] })).toEqual({
      [`Image${suffix}`]: `Image${suffix}2`,
    });
  });

  it('is numbered where every document has a component of that name', () => {
    expect(stemsOf(['ListMeta'])).toEqual({ ListMeta: 'ListMeta2' });
  });
});
