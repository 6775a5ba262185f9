/** A database that changes: before a start, as spec files know it, and under a server. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestDatabase, sampleDialects, type TestDatabase, type TestDialect } from '../databases.js';
import { systemTemplate } from '../templates.js';
import { adminToken } from './harness/rows.js';
import { useWorkplaces } from './harness/workplaces.js';

const databases: TestDatabase[] = [];

afterEach(async () => {
  for (const test of databases.splice(0)) await test.drop();
});

// after the hook above, so that it runs before it: processes end before their databases
const newWorkplace = useWorkplaces();

const tables = `create table product (id integer not null primary key, title varchar(40), price integer);
  create table shelf (id integer not null primary key, room varchar(40));`;

const shop = async (dialect: TestDialect) => {
  const test = await createTestDatabase(dialect, { sql: tables, template: await systemTemplate(dialect) });
  databases.push(test);
  const place = newWorkplace();
  const environment = { DATABASE_URL: test.url, PORT: '0', LOG_STYLE: 'pretty' };
  return {
    ...test,
    run: (...args: string[]) => place.run(args, environment),
    writeSpec(text: string) {
      mkdirSync(join(place.directory, 'spec', 'collections'), { recursive: true });
      writeFileSync(join(place.directory, 'spec', 'collections', 'product.yaml'), text);
    },
    async start() {
      const running = place.start(['start', '--workers', '1'], environment);
      const [, url = ''] = await running.until(/(http:\/\/127\.0\.0\.1:\d+)\/items/);
      return { running, url };
    },
  };
};

const asAdmin = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };

const readJson = async (url: string, body?: unknown) => {
  const answer = await fetch(url, {
    headers: asAdmin,
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

describe.each(sampleDialects(import.meta.url))('on %s', (dialect) => {
  it('a spec file that names a dropped column is ignored by start and refused by generate', async () => {
    const { run, writeSpec, start } = await shop(dialect);
    writeSpec('fields:\n  title: { note: Name }\n  colour: { note: Gone }\nmeta: { sort_field: rank }\n');
    const { running, url } = await start();
    const problem =
      /product\.yaml:3:\d+: "product" has no column or relation "colour"; .*; until then it is ignored/;
    expect(running.output()).toMatch(problem);
    expect(running.output()).toMatch(/product\.yaml:4:\d+: "product" has no column "rank"/);
    expect(await readJson(`${url}/items/product`)).toMatchObject({ status: 200, body: { data: [] } });
    expect(await running.stop('SIGTERM')).toBe(0);

    const check = await run('generate', '--no-client', '--check');
    expect(check.code).toBe(1);
    expect(check.stderr).toMatch(/product\.yaml:3:\d+: "product" has no column or relation "colour"/);
  });

  it('a spec file that is wrong in every database still ends a start', async () => {
    const { run, writeSpec } = await shop(dialect);
    writeSpec('fields:\n  title: { validation: { title: { _regex: "(?=a)" } } }\n');
    const { code, stderr } = await run('start', '--workers', '1');
    expect(code).toBe(1);
    expect(stderr).toMatch(/product\.yaml:2:\d+: .*rewrite the expression/);
  });

  it('a list that fails is null beside the others of a GraphQL document', async () => {
    const { start, execute } = await shop(dialect);
    const { running, url } = await start();
    // the schema as it is now cannot be served, so the one before is
    await execute('alter table svc_dashboards drop column note');
    await execute('alter table product drop column price');
    const { status, body } = await readJson(`${url}/graphql`, {
      query: '{ product { id price } shelf { id } }',
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: { product: null, shelf: [] },
        errors: [
          {
            message: expect.any(String) as string,
            locations: [{ line: 1, column: 3 }],
            path: ['product'],
            extensions: { code: 'INTERNAL_SERVER_ERROR' },
          },
        ],
      },
    });
    expect((await readJson(`${url}/items/product`)).status).toBe(500);
    await running.stop('SIGTERM');
  });
});
