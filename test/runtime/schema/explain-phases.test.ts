/** Explain lists phases, changes of access, values that cannot be converted, and the errors of the server on an empty copy. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyDifference, diffSnapshot, takeSnapshot } from '../../../runtime/schema/service.js';
import type { Explanation } from '../../../runtime/schema/explain/explain.js';
import type { Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { dialectsOf } from '../../databases.js';
import { copyField, edited, field, tinyScript, type Edit } from './edits.js';
import { createPlace, type Place } from './places.js';

/** A field comes, one goes, and one gets another name. */
const mixed: Edit = (snapshot) => {
  snapshot.fields = snapshot.fields.filter((entry) => entry.field !== 'weight');
  snapshot.fields.push(copyField(field(snapshot, 'shelves', 'depth'), 'height', { is_nullable: true }));
  const label = field(snapshot, 'shelves', 'label');
  Object.assign(label, { field: 'name', meta: { previous_name: 'label' } });
  Object.assign(label.schema, { name: 'name' });
};

const renamedAndWidened: Edit = (snapshot) => {
  const weight = field(snapshot, 'boxes', 'weight');
  Object.assign(weight, { field: 'mass', meta: { previous_name: 'weight' } });
  Object.assign(weight.schema, { name: 'mass', numeric_scale: 8, numeric_precision: 24 });
};

const id = (count: number): string => `00000000-0000-4000-8000-00000000000${count}`;

describe.each(dialectsOf(import.meta.url))('on %s', (dialect) => {
  let place: Place;
  beforeAll(async () => {
    place = await createPlace(dialect, tinyScript(dialect));
  });
  afterAll(() => place.drop());

  const explain = async (edit: Edit, how: true | 'exact' = true, of: Place = place): Promise<Explanation> => {
    const difference = await of.diff(edited(await of.snapshot(), edit), { explain: how });
    if (difference?.explain === undefined) throw new Error('there is no difference');
    return difference.explain;
  };

  it('the statements of the phases, run one after the other, leave no difference', async () => {
    const other = await createPlace(dialect, tinyScript(dialect));
    const before = await other.snapshot();
    const { phases } = await explain(mixed, true, other);
    const isOne = dialect === 'sqlite';
    expect(phases.map(({ phase }) => phase)).toEqual(isOne ? ['contract'] : ['expand', 'contract']);
    const [first = '', second = ''] = phases.map(({ statements }) => statements.join('\n'));
    expect(first).toMatch(isOne ? /height/ : /add column \S*height/);
    expect(second).not.toContain('height');
    if (isOne) await other.execute('pragma foreign_keys = off');
    for (const { statements } of phases) {
      for (const statement of statements) await other.execute(statement);
    }
    const renamed: Edit = (snapshot) => {
      mixed(snapshot);
      field(snapshot, 'shelves', 'name').meta = null;
    };
    expect(await other.diff(edited(before, renamed))).toBeNull();
    await other.drop();
  });

  it('what only adds has one phase', async () => {
    const { phases, statements } = await explain((snapshot) => {
      snapshot.fields.push(copyField(field(snapshot, 'shelves', 'depth'), 'height', { is_nullable: true }));
    });
    expect(phases).toEqual([{ phase: 'expand', statements, apart: [] }]);
  });

  it.runIf(dialect !== 'sqlite')(
    'values that cannot be converted refuse an apply before anything is added, even with accept_loss',
    async () => {
      await place.serve();
      const wanted = edited(await place.snapshot(), (snapshot) => {
        const label = field(snapshot, 'shelves', 'label');
        Object.assign(label.schema, { data_type: 'date', max_length: null, default_value: null });
        snapshot.fields.push(copyField(field(snapshot, 'shelves', 'depth'), 'height', { is_nullable: true }));
      });
      const difference = await place.diff(wanted, { explain: true });
      const shelves = difference?.explain?.collections.find(({ collection }) => collection === 'shelves');
      const rows = dialect === 'postgres' ? 2 : 1;
      expect(shelves?.findings).toContainEqual(expect.objectContaining({ kind: 'inconvertible', rows }));
      const before = await place.snapshot();
      await expect(place.apply(difference as never, { acceptLoss: true })).rejects.toThrow(
        '"shelves.label" holds values that cannot be converted to date',
      );
      expect(await place.snapshot()).toEqual(before);
    },
  );

  it('a field is tried under its new name on a copy, which is removed', async () => {
    const before = await place.database.query('select * from boxes order by code');
    const { collections } = await explain(renamedAndWidened, 'exact');
    const [boxes] = collections;
    const expected = {
      sqlite: null,
      postgres: { algorithm: 'rewrite', rewrites: true },
      mysql: { algorithm: 'COPY', lock: 'SHARED', blocks: 'writes', rewrites: true },
      mariadb: { algorithm: 'COPY', lock: 'SHARED', blocks: 'writes', rewrites: true },
    };
    expect(boxes?.exact).toEqual(expected[dialect]);
    expect(await place.database.query('select * from boxes order by code')).toEqual(before);
    expect((await explain(renamedAndWidened)).collections[0]).not.toHaveProperty('exact');
  });

  it('changes of access are explained by what they allow and whom they are about', async () => {
    const services = { database: place.database, tables: {} };
    const before = await takeSnapshot(services, ['access']);
    const none = { icon: null, description: null };
    const make = (allowsAll: boolean, withPermission: boolean): Snapshot =>
      ({
        ...before,
        roles: [
          ...(before.roles ?? []),
          { id: id(1), name: 'Clerks', parent: null, ...none },
          { id: id(2), name: 'Trainees', parent: id(1), ...none },
        ],
        policies: [
          ...(before.policies ?? []),
          { id: id(3), name: 'Shelves', admin_access: allowsAll, ip_access: null, ...none },
        ],
        access: [...(before.access ?? []), { id: id(4), role: id(1), policy: id(3), sort: null }],
        permissions: [
          ...(before.permissions ?? []),
          ...(withPermission
            ? [{ policy: id(3), collection: 'shelves', action: 'read', fields: ['*'], permissions: null }]
            : []),
        ],
      }) as unknown as Snapshot;
    const compare = (snapshot: Snapshot) =>
      diffSnapshot(snapshot, { force: false, mode: 'mirror', explain: true }, services);
    const added = await compare(make(false, true));
    expect(added?.explain?.access).toContainEqual({
      list: 'permissions',
      id: `${id(3)}/shelves/read`,
      change: 'add',
      name: 'Shelves',
      effect: 'grants',
      administration: false,
      public: false,
      users: 0,
    });
    await applyDifference(added as never, { ...services, user: null });
    await place.execute(
      `insert into svc_users (id, email, status, role) values ('${id(5)}', 'trainee@example.com', 'active', '${id(2)}')`,
    );
    const changed = await compare(make(true, false));
    expect(changed?.explain?.access).toMatchObject([
      { list: 'policies', id: id(3), change: 'change', effect: 'grants', administration: true, users: 1 },
      { list: 'permissions', change: 'drop', effect: 'revokes', administration: true, users: 1 },
    ]);
  });
});

/** An index on a table that has rows, and on a field that comes with it. */
const withIndex: Edit = (snapshot) => {
  snapshot.fields.push(copyField(field(snapshot, 'shelves', 'depth'), 'height', { is_nullable: true }));
  const shelves = snapshot.collections.find(({ collection }) => collection === 'shelves');
  const index = { name: 'by_height', unique: false, columns: ['height', 'depth'] };
  Object.assign(shelves?.schema ?? {}, { indexes: [index] });
};

describe('on postgres, under servers', () => {
  let place: Place;
  beforeEach(async () => {
    place = await createPlace('postgres', tinyScript('postgres'));
    await place.serve();
  });
  afterEach(() => place.drop());

  const drop = 'drop index concurrently if exists "by_height"';
  const build = 'create index concurrently "by_height" on "shelves" ("height", "depth")';

  it('an index of a table with rows is built outside of the transaction, and blocks nothing', async () => {
    const wanted = edited(await place.snapshot(), withIndex);
    const difference = await place.diff(wanted, { explain: true });
    const [phase] = difference?.explain?.phases ?? [];
    expect(phase).toMatchObject({ phase: 'expand', apart: [build] });
    expect(phase?.statements.at(-1)).toBe(build);
    expect(difference?.explain?.collections[0]?.changes).toContainEqual(
      expect.objectContaining({ change: 'add index', blocks: 'nothing', lock: 'SHARE UPDATE EXCLUSIVE' }),
    );
    await place.apply(difference as never);
    expect(await place.diff(wanted)).toBeNull();
  });

  it('what an attempt that failed has left is dropped first', async () => {
    await place.execute('update shelves set depth = 3');
    const failed = 'create unique index concurrently by_height on shelves (depth)';
    await expect(place.database.write({ text: failed, values: [] })).rejects.toThrow('by_height');
    const wanted = edited(await place.snapshot(), withIndex);
    const difference = await place.diff(wanted, { explain: true });
    expect(difference?.explain?.phases[0]?.apart).toEqual([drop, build]);
    await place.apply(difference as never);
    expect(await place.diff(wanted)).toBeNull();
  });
});

it('a new value of an enum comes first, and is committed by itself', async () => {
  const place = await createPlace(
    'postgres',
    "create type mood as enum ('calm'); create table moods (id serial primary key, mood mood not null)",
  );
  const snapshot = edited(await place.snapshot(), (wanted) => {
    Object.assign(field(wanted, 'moods', 'mood').schema, { enum_values: ['calm', 'glad'] });
    wanted.fields.push(
      copyField(field(wanted, 'moods', 'mood'), 'later', { is_nullable: true, default_value: 'glad' }),
    );
  });
  const difference = await place.diff(snapshot, { explain: true });
  const [expand] = difference?.explain?.phases ?? [];
  expect(expand?.phase).toBe('expand');
  expect(expand?.statements[0]).toMatch(/add value.*'glad'/i);
  expect(expand?.apart).toEqual([expand?.statements[0]]);
  await place.drop();
});
