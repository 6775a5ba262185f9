/** Steps that the database refuses although everything was checked before, where steps commit by themselves. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyField, edited, field, tinyScript, type MutableSnapshot } from './edits.js';
import { createPlace, type Place } from './places.js';

describe.each(['mariadb', 'mysql'] as const)('a step that is refused on %s', (dialect) => {
  let place: Place;
  beforeEach(async () => {
    place = await createPlace(dialect, tinyScript(dialect));
  });
  afterEach(() => place.drop());

  /** Adds a field to each table; the longer one is longer than a row can be. */
  const add = (...fields: readonly (readonly [table: string, length: number])[]) =>
    place
      .snapshot()
      .then((before) =>
        place.become(
          edited(before, (snapshot: MutableSnapshot) => {
            const model = field(snapshot, 'shelves', 'label');
            for (const [collection, length] of fields) {
              const added = copyField(model, 'extra', { max_length: length, is_nullable: true });
              const schema = { ...added.schema, table: collection };
              snapshot.fields.push({ ...added, collection, schema });
            }
          }),
        ),
      )
      .then(
        () => '',
        (error: unknown) => (error as Error).message,
      );
  const columns = async (table: string): Promise<readonly string[]> =>
    (await place.snapshot()).fields
      .filter(({ collection }) => collection === table)
      .map((each) => each.field);

  it('leaves everything as it was where it is the first', async () => {
    expect(await add(['shelves', 60_000])).toMatch(
      /^Invalid payload: the database refused the step .*; nothing was changed\.?$/,
    );
    expect(await columns('shelves')).not.toContain('extra');
  });

  it('reports the steps before it as done', async () => {
    expect(await add(['boxes', 10], ['shelves', 60_000])).toMatch(
      /^Invalid payload: the database refused the step .*; the steps before it are done; make a new diff for the rest\.?$/,
    );
    expect(await columns('boxes')).toContain('extra');
    expect(await columns('shelves')).not.toContain('extra');
  });

  it('is not reached where a value of meta is of another type', async () => {
    const before = await place.snapshot();
    const wanted = edited(before, (snapshot: MutableSnapshot) => {
      const added = copyField(field(snapshot, 'shelves', 'label'), 'extra', { is_nullable: true });
      snapshot.fields.push({
        ...added,
        meta: {
          hidden: [],
          sort: 'first',
          special: [1],
          width: 'x'.repeat(20),
          validation: { _and: [{ extra: { _regex: '(?=a)' } }, { extra: { _regex: '(?!b)' } }] },
        },
      });
    });
    await expect(place.become(wanted)).rejects.toThrow(
      /"hidden" of "shelves\.extra" must be true or false.*"sort".*an integer.*"special".*a list of texts.*"width".*at most 16.*"validation" of "shelves\.extra" must be a filter \(.*look-ahead "\(\?="; .*look-ahead "\(\?!"\)/,
    );
    expect(await place.snapshot()).toEqual(before);
  });

  it('is not reached where a value cannot be converted, although the loss is accepted', async () => {
    const wanted = edited(await place.snapshot(), (snapshot: MutableSnapshot) => {
      const added = copyField(field(snapshot, 'boxes', 'code'), 'extra', { is_nullable: true });
      snapshot.fields.push(added);
      Object.assign(field(snapshot, 'shelves', 'label').schema, { data_type: 'date', max_length: null });
    });
    const difference = await place.diff(wanted);
    if (difference === null) throw new Error('there is no difference');
    await expect(place.apply(difference, { acceptLoss: true })).rejects.toThrow(
      '"shelves.label" holds values that cannot be converted to date',
    );
    expect(await columns('boxes')).not.toContain('extra');
  });
});
