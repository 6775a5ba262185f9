/** Errors of constraints do not name fields that the caller may neither read nor write, whose values come from presets. */
import { describe, expect, it } from 'vitest';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf, type TestAccess } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

const sql = `
create table "depot" ("id" integer primary key);
create table "part" (
  "id" integer primary key, "code" varchar(10), "vault" varchar(10), "seal" varchar(10), "weight" integer check ("weight" < 100),
  "depot" integer,
  constraint "part_place" unique ("code", "vault"), constraint "part_seal" unique ("seal"),
  constraint "part_depot" foreign key ("depot") references "depot" ("id")
);
insert into "depot" values (1);
insert into "part" values (1, 'a', 'north', 's1', 1, 1), (2, 'b', 'south', 's2', 2, 1);`;

/** Policies whose creates and updates set a hidden field. */
const presets = {
  Place: { vault: 'north' },
  Seal: { seal: 's1' },
  Weight: { weight: 200 },
  Depot: { depot: 9 },
};

const access: TestAccess = {
  policies: Object.fromEntries(
    Object.entries(presets).map(([name, values]) => [
      name,
      [
        { collection: 'part', action: 'read', fields: ['id', 'code'] },
        { collection: 'part', action: 'create', fields: ['id', 'code'], presets: values },
      ],
    ]),
  ),
  users: Object.fromEntries(Object.keys(presets).map((name) => [name, { policies: [name] }])),
};

describe.each(settings)('fields hidden from a caller on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql: sqlFor(setting.dialect, sql), access });

  it.each([
    ['Place', { id: 11, code: 'a' }, 'RECORD_NOT_UNIQUE', 'code', 'vault'],
    ['Seal', { id: 12, code: 'c' }, 'RECORD_NOT_UNIQUE', null, 'seal'],
    ['Weight', { id: 13, code: 'd' }, 'FAILED_VALIDATION', null, 'weight'],
    ['Depot', { id: 14, code: 'e' }, 'INVALID_FOREIGN_KEY', null, 'depot'],
  ] as const)('are not in errors: %s of %j is %s', async (as, body, code, field, hidden) => {
    const { status, errors, text } = await server().request('POST', '/items/part', { as, body });
    expect({ status, errors }).toMatchObject({ status: 400, errors: [{ code, field }] });
    expect(text).not.toContain(hidden);
    expect(text).not.toContain(String(Object.values(presets[as])[0]));
    // callers who may read these fields see their names
    const all = { ...body, ...presets[as] };
    expect((await server().request('POST', '/items/part', { as: 'admin', body: all })).text).toContain(
      hidden,
    );
  });
});
