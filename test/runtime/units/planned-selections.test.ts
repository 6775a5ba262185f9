/** Selections as plans: aliases, stars, groups, and items of several collections. */
import { describe, expect, it } from 'vitest';
import { emptyQuery } from '../../../runtime/plan/read.js';
import { readQuery, type FieldNode } from '../../../runtime/request/query.js';
import type { ReadPermission } from './compiled.js';
import { entriesOf, planOf, selectionOf } from './event-plans.js';
import { printCondition } from './printed-conditions.js';
import { reasonOf } from './refusals.js';

type Query = Readonly<Record<string, unknown>>;

const node = (name: string, options: Partial<FieldNode> = {}): FieldNode => ({
  name,
  children: [],
  ...options,
});

const refusalOf = (collection: string, query: Query, permissions?: readonly ReadPermission[]) =>
  reasonOf(() => planOf(collection, query, permissions && { permissions }));

const missing = (name: string): string => `FORBIDDEN: the field "${name}" does not exist or may not be used`;

describe('an alias', () => {
  it('names a field, a related item or a list in the response', () => {
    const query = { fields: ['label', 'record.title', 'id'], alias: { label: 'name', record: 'album' } };
    expect(selectionOf('song', query)).toBe('label record(title) id');
    expect(selectionOf('album', { fields: ['tracks.name'], alias: { tracks: 'songs' } })).toBe(
      'tracks[name]',
    );
    const [label] = entriesOf('song', query);
    expect(label).toMatchObject({ kind: 'field', field: { name: 'name' } });
  });

  it('takes the parameters of its own name', () => {
    const query = {
      fields: ['good.name', 'songs.id'],
      alias: { good: 'songs' },
      deep: { good: { _filter: { name: { _eq: 'a' } } } },
    };
    const where = entriesOf('album', query).map(
      (entry) => entry.kind === 'many' && printCondition(entry.plan.where),
    );
    expect(where).toEqual(['name eq value 0', 'true']);
  });
});

describe('a star', () => {
  const backlink = false;

  it('has every column and every listed list', () => {
    expect(selectionOf('album', { fields: ['*'] })).toBe(
      'id code title songs[key] covers[key] codes[key] blocks[key]',
    );
    expect(selectionOf('album', { fields: ['*.id'] })).toBe(
      'id code title songs[id] covers[id] codes[id] blocks[id]',
    );
  });

  it('does not lead back from the items of a list where "backlink" is false', () => {
    const query = { fields: ['songs.*.*'] };
    expect(selectionOf('album', query)).toMatch(/^songs\[id album\(.*\) cover\(.*\) next\(.*\) name\]$/);
    expect(selectionOf('album', { ...query, backlink })).toMatch(
      /^songs\[id album cover\(.*\) next\(.*\) name\]$/,
    );
  });

  it('leads everywhere at the top level, and to lists of other collections', () => {
    const query = { fields: ['*.id'] };
    expect(selectionOf('song', { ...query, backlink })).toBe(selectionOf('song', query));
    expect(selectionOf('song', { fields: ['album.*.id'], backlink })).toContain('blocks[id]');
  });

  it('does not lead back to the list of an item, but to other lists of the same items', () => {
    const query = { fields: ['album.*.name'], backlink };
    const permissions = [{ collection: 'song' }, { collection: 'album' }];
    expect(selectionOf('song', query, { permissions })).toBe(
      'album(id code title songs[key] covers[name] codes[name])',
    );
    const cover = { ...query, fields: ['cover.*.name'] };
    expect(selectionOf('song', cover, { permissions })).toBe(
      'cover(id code title songs[name] covers[key] codes[name])',
    );
  });

  it('leads on along the relation that it came by, which is not a way back', () => {
    const query = { fields: ['next.*.name'], backlink };
    const permissions = [{ collection: 'song' }];
    expect(selectionOf('song', query, { permissions })).toBe('next(id next(name) name)');
  });

  it('has the fields that are named beside it once, with what is below them', () => {
    expect(selectionOf('song', { fields: ['album.title', '*', 'album.id'] })).toBe(
      'album(title id) id cover next name',
    );
  });
});

describe('a selection that names cannot express', () => {
  it('may have constants, and groups of fields of the same row', () => {
    const nodes = [
      node('', { as: 'type', constant: '"song"' }),
      node('', {
        as: 'inner',
        isGroup: true,
        children: [node('name'), node('album', { children: [node('id')] })],
      }),
      node('item', { constant: '1' }),
    ];
    expect(selectionOf('song', {}, { nodes })).toBe('type="song" inner{name album(id)} item=1');
  });

  it('may have parameters of a relation, and then has the named fields only', () => {
    const { query } = readQuery({ filter: { title: { _eq: 'a' } } });
    const nodes = [node('album', { query, children: [node('title')] }), node('next', { query: emptyQuery })];
    const [album, next] = entriesOf('song', {}, { nodes });
    expect(album?.kind === 'one' && printCondition(album.where)).toBe('title eq value 0');
    expect(next).toMatchObject({ kind: 'one', select: { kind: 'object', entries: [] } });
  });

  it('writes no other type than integers as text', () => {
    const nodes = [node('id', { text: true }), node('name', { text: true }), node('album')];
    const types = entriesOf('song', {}, { nodes }).map((entry) => entry.kind === 'field' && entry.field.type);
    expect(types).toEqual(['bigInteger', 'string', 'integer']);
  });
});

describe('parameters of a relation', () => {
  it('cannot group one item', () => {
    const query = { fields: ['album.title'], deep: { album: { _aggregate: { count: '*' } } } };
    expect(refusalOf('song', query)).toBe('INVALID_QUERY: "aggregate" and "groupBy" apply to lists only');
  });

  it('filter the related item', () => {
    const query = { fields: ['album.title'], deep: { album: { _filter: { code: { _gt: 1 } } } } };
    const [album] = entriesOf('song', query);
    expect(album?.kind === 'one' && printCondition(album.where)).toBe('code gt value 0');
  });
});

const noted = (name: string) => ({ note: { _eq: name } });

describe('an item of several collections', () => {
  it('is its key where it is named alone, or by a star', () => {
    expect(selectionOf('block', { fields: ['item'] })).toBe('item');
    expect(selectionOf('block', { fields: ['*'] })).toBe('id album item kind note');
  });

  it.each<[readonly string[], string]>([
    [['item.id'], 'item<album(id) song(id)>'],
    [['item:album.title'], 'item<album(title) song(key)>'],
    [['item:album.title', 'item:song.name'], 'item<album(title) song(name)>'],
    [['item.id', 'item:song.name'], 'item<album(id) song(id name)>'],
    [['item:song'], 'item<album(key) song(id album cover next name)>'],
    [['item', 'item:album.title', 'note'], 'item<album(title) song(key)> note'],
    [['*', 'item:album.title'], 'id album kind note item<album(title) song(key)>'],
    [['item:album.title', '*'], 'item<album(title) song(key)> id album kind note'],
  ])('has the fields of every collection, and those of one: %j', (fields, want) => {
    expect(selectionOf('block', { fields })).toBe(want);
  });

  it('has its fields below a star', () => {
    expect(selectionOf('block', { fields: ['*.id'] })).toBe('id album item<album(id) song(id)> kind note');
  });

  it('may be selected twice under two names', () => {
    const targets = [{ collection: 'album', children: [node('title')] }];
    const nodes = [
      node('item', { as: 'first', targets }),
      node('item', { as: 'second', children: [node('id')] }),
      node('item'),
    ];
    expect(selectionOf('block', {}, { nodes })).toBe(
      'first<album(title) song(key)> second<album(id) song(id)> item',
    );
  });

  it('has parameters of each collection', () => {
    const query = {
      fields: ['item:album.title', 'item:song.name'],
      deep: { 'item:album': { _filter: { title: { _eq: 'a' } } } },
    };
    const [item] = entriesOf('block', query);
    expect(item?.kind === 'any' && item.targets.map(({ plan }) => printCondition(plan.where))).toEqual([
      'title eq value 0',
      'true',
    ]);
  });

  it('is left out of the collections that the caller may not read', () => {
    const permissions = [{ collection: 'block' }, { collection: 'song' }];
    expect(selectionOf('block', { fields: ['item.id'] }, { permissions })).toBe('item<song(id)>');
  });

  it('needs the key and its collection to be readable', () => {
    const others = [{ collection: 'song' }, { collection: 'album' }];
    const fields = ['item.id'];
    for (const hidden of ['item', 'kind']) {
      const names = ['id', 'item', 'kind'].filter((name) => name !== hidden);
      const permissions = [{ collection: 'block', fields: names }, ...others];
      expect(refusalOf('block', { fields }, permissions)).toBe(missing('item'));
      expect(selectionOf('block', { fields: ['*.id'] }, { permissions })).toBe(names.join(' '));
    }
  });

  it('is visible on the rows on which both are', () => {
    const others = [{ collection: 'song' }, { collection: 'album' }, { collection: 'block', fields: ['id'] }];
    const ruleOf = (permissions: readonly ReadPermission[]) => {
      const [item] = entriesOf(
        'block',
        { fields: ['item.id'] },
        { permissions: [...others, ...permissions] },
      );
      return item?.kind === 'any' && item.rule !== null && printCondition(item.rule);
    };
    const item = { collection: 'block', fields: ['item'], permissions: noted('a') };
    const kind = { collection: 'block', fields: ['kind'], permissions: noted('b') };
    const always = { collection: 'block', fields: ['item', 'kind'] };
    expect(ruleOf([item, kind])).toBe('(note eq "a" and note eq "b")');
    expect(ruleOf([always])).toBe(false);
  });

  it('has nothing of a collection that it does not lead to', () => {
    expect(selectionOf('block', { fields: ['item:part.id', 'item:song.id'] })).toBe(
      'item<album(key) song(id)>',
    );
  });

  it('is refused with fields that one of its collections does not have', () => {
    expect(refusalOf('block', { fields: ['item.name'] })).toBe(missing('item:album.name'));
  });
});
