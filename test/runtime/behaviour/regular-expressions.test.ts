/** Regular expressions of users cannot stop the server: refused where written, linear where run, closed where stored. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { insertRow, settingsOf } from '../server-harness.js';
import { until } from '../../until.js';
import { sqlFor } from '../harness/sql.js';

const settings = settingsOf(import.meta.url);

const hostile = '^(a+)+$';
const attack = `${'a'.repeat(45)}!`;

describe.each(settings)('regular expressions on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: sqlFor(
      setting.dialect,
      'create table "note" ("id" {counter}, "title" varchar(100), "slug" varchar(100), "code" varchar(100), "story" text);',
    ),
    meta: {
      fields: {
        note: {
          slug: { validation: { slug: { _regex: hostile } } },
          code: { validation: { code: { _regex: '^(?=a)' } } },
          story: { validation: { story: { _regex: '[ab]*a[ab]{600}c' } } },
        },
      },
    },
    access: {
      policies: {
        Writer: [
          { collection: 'note', action: 'create', fields: ['*'], validation: { title: { _regex: hostile } } },
          { collection: 'note', action: 'read', fields: ['*'] },
        ],
        Stored: [],
      },
      users: { writer: { policies: ['Writer'] }, stored: { policies: ['Stored'] } },
    },
  });
  const create = (as: string, body: unknown) => server().request('POST', '/items/note', { as, body });

  it.each([
    ['a permission', 'writer', { title: attack }],
    ['a field', 'admin', { slug: attack }],
  ])('a slow expression in the validation of %s does not block other requests', async (_, as, body) => {
    const [refused, read] = await Promise.all([
      create(as, body),
      server().request('GET', '/items/note', { as: 'admin' }),
    ]);
    expect([refused.status, refused.codes, read.status]).toEqual([400, ['FAILED_VALIDATION'], 200]);
    expect((await create(as, Object.fromEntries(Object.keys(body).map((key) => [key, 'aaa'])))).status).toBe(
      200,
    );
  });

  it('many long texts do not add up to a request that stops the server', async () => {
    let state = 1;
    const letter = (): string => ((state = (state * 48_271) % 2_147_483_647) % 2 === 0 ? 'a' : 'b');
    const story = Array.from({ length: 3_000 }, letter).join('');
    const stories = Array.from({ length: 300 }, (_, index) => ({ story: story.slice(index) }));
    const { status, errors } = await create('admin', stories);
    expect({ status, last: errors.at(-1) }).toMatchObject({
      status: 400,
      last: { code: 'INVALID_PAYLOAD', reason: expect.stringContaining('take more than 2 seconds') },
    });
  });

  it('an unsupported one is rejected when the rule is written by REST and GraphQL', async () => {
    const body = {
      policy: server().ids.policies.get('Stored'),
      collection: 'note',
      action: 'create',
      fields: ['*'],
      validation: { _and: [{ title: { _regex: '^(?!admin)' } }] },
    };
    const rest = await server().request('POST', '/permissions', { as: 'admin', body });
    const reason = '"^(?!admin)" is not a supported regular expression: look-ahead "(?!"';
    expect([rest.status, rest.codes]).toEqual([400, ['FAILED_VALIDATION']]);
    expect(JSON.stringify(rest.errors)).toContain(JSON.stringify(reason).slice(1, -1));
    const query =
      'mutation ($data: create_svc_permissions_input!) { create_permissions_item(data: $data) { id } }';
    const graphql = await server().request('POST', '/graphql/system', {
      as: 'admin',
      body: { query, variables: { data: { ...body, policy: { id: body.policy } } } },
    });
    expect(JSON.stringify(graphql.errors)).toContain(JSON.stringify(reason).slice(1, -1));
  });

  it('an unsupported one that is stored rejects writes and is reported at start', async () => {
    await insertRow(server().database, 'svc_permissions', {
      policy: server().ids.policies.get('Stored'),
      collection: 'note',
      action: 'create',
      fields: '*',
      validation: JSON.stringify({ title: { _regex: '^(?!admin)' } }),
    });
    const another = await server().startAnother();
    try {
      const note = (as: string, body: unknown) => another.request('POST', '/items/note', { as, body });
      expect((await note('stored', { title: 'x' })).codes).toEqual(['FAILED_VALIDATION']);
      expect((await note('admin', { code: 'a' })).codes).toEqual(['FAILED_VALIDATION']);
      expect((await note('admin', { code: null })).status).toBe(200);
      const faults = () =>
        another.observations.flatMap((each) =>
          each.kind === 'ruleFaulty' ? [`${each.rule}: ${each.problem}`] : [],
        );
      await until(() => faults().length === 2);
      expect(faults().toSorted()).toEqual([
        'field note.code: "^(?=a)" is not a supported regular expression: look-ahead "(?="',
        'policy "Stored", create of note: "^(?!admin)" is not a supported regular expression: look-ahead "(?!"',
      ]);
    } finally {
      await another.close();
    }
  });
});
