/** The work of the compiler with many collections is counted, because time is that of the machine. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emitClient } from '../../generator/emitters/client/index.js';
import type { Collection } from '../../generator/model/types.js';
import { packageRoot } from '../../runtime/config/package.js';
import { collection, counter, field, model } from '../generator/models.js';
import { compile } from '../compiler.js';
import { strictest } from './package.js';

const collections = 200;
const calls = 100;
const nameOf = (index: number): string => `entity_${index}`;

/** Ten columns, one of them with a sign in front, two of them references, and the lists that lead back. */
const entity = (index: number): Collection => {
  const name = nameOf(index);
  const before = nameOf((index + collections - 1) % collections);
  const after = nameOf((index + 1) % collections);
  const relation = { graphql: '', meta: false };
  return collection(
    name,
    [
      counter('id'),
      field('name', 'string'),
      field('code', 'string'),
      field('amount', 'decimal'),
      field('active', 'boolean'),
      field('created_at', 'dateTime'),
      field('due_on', 'date', { nullable: true }),
      field('-note', 'text', { nullable: true }),
      field('parent_id', 'integer', { nullable: true }),
      field('owner_id', 'integer'),
    ],
    {
      names: { file: `entity-${index}`, type: `Entity${index}`, variable: name, graphql: name },
      relations: [
        {
          ...relation,
          kind: 'manyToOne',
          name: 'parent_id',
          property: 'parent',
          target: before,
          fields: ['parent_id'],
          targetFields: ['id'],
          constrained: true,
        },
        {
          ...relation,
          kind: 'manyToOne',
          name: 'owner_id',
          property: 'owner',
          target: after,
          fields: ['owner_id'],
          targetFields: ['id'],
          constrained: true,
        },
        {
          ...relation,
          kind: 'oneToMany',
          name: after,
          property: after,
          target: after,
          fields: ['id'],
          targetFields: ['parent_id'],
          junctionField: null,
          sortField: null,
          deselect: 'nullify',
          written: true,
        },
      ],
    },
  );
};

const callOf = (index: number): string => {
  const name = nameOf(index * 2);
  const list = nameOf(index * 2 + 1);
  return `const rows${index} = await api.items('${name}').list({
  fields: ['name', 'parent_id.name', { owner_id: ['code', { parent_id: ['-note'] }], ${list}: ['amount', 'owner_id.*'] }],
  filter: { name: { _contains: 'x' }, owner_id: { active: { _eq: true } }, ${list}: { _some: { due_on: { _lt: '$NOW' } } } },
  sort: ['-note', 'parent_id.owner_id.code'],
  deep: { ${list}: { _limit: 3, _sort: ['-amount'] } },
  meta: ['total_count'],
});
export const seen${index}: string | undefined = rows${index}.data[0]?.${list}[0]?.owner_id.name;
`;
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-scale-'));
  const entities = Array.from({ length: collections }, (_, index) => entity(index));
  for (const { path, content } of emitClient(model(entities))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  cpSync(join(packageRoot, 'generated/client/src/rest'), join(folder, 'client/src/rest'), {
    recursive: true,
  });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const head = `import { createClient } from './client/dist/index.js';\n\nconst api = createClient({ url: '' });\n`;
  const program = Array.from({ length: calls }, (_, index) => callOf(index)).join('');
  writeFileSync(join(folder, 'program.ts'), head + program);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('is short for a program of 100 calls against 200 collections', async () => {
  const client = await compile({
    folder: join(folder, 'client/src'),
    files: ['index.ts'],
    options: {
      ...strictest,
      exactOptionalPropertyTypes: false,
      noUncheckedIndexedAccess: false,
      noPropertyAccessFromIndexSignature: false,
      noUnusedLocals: false,
      noImplicitOverride: false,
      declaration: true,
      outDir: join(folder, 'client/dist'),
    },
  });
  expect(client.faults).toEqual([]);
  const options = { ...strictest, skipLibCheck: true, noEmit: true };
  const { faults, figures } = await compile({ folder, files: ['program.ts'], options });
  expect(faults).toEqual([]);
  expect(figures.get('Instantiations')).toBeLessThan(200_000);
  expect(figures.get('Types')).toBeLessThan(35_000);
});
