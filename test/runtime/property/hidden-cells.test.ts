/**
 * Cells that a rule hides in some rows change no answer, whatever a query does with their field; the same questions are asked as
 * somebody who sees the cells, whose answers change, so that each of them notices what it is there for.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Collection, Field } from '../../../contract/collection.js';
import type { Access } from '../../../runtime/access/access.js';
import type { Handle } from '../harness/items.js';
import { dialectsOf } from '../../databases.js';
import { accessOf, adminToken, tokens, viewerOf, type Scenario } from './access.js';
import { openArchive, type Archive } from './archive.js';
import { hiddenChanges, withChanges } from './hidden.js';
import { fallback, openPipeline, patience } from './pipeline.js';
import { parametersRequest } from './queries.js';

const dialects = dialectsOf(import.meta.url);

const [viewer = null] = tokens;

interface Question {
  readonly kind: string;
  readonly collection: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

const hasOrder = ({ type, conceal }: Field): boolean =>
  !['json', 'binary', 'csv'].includes(type) && conceal !== true;

/** Every row may be read; the cells of `field` in every other row alone. */
const scenarioOf = (archive: Archive, collection: Collection, field: Field): Scenario => {
  const [key] = collection.key as [Field];
  const rows = archive.rows.get(collection.name) ?? [];
  const shown = rows.filter((_, index) => index % 2 === 0).map((row) => row[key.name] as string);
  const names = [...collection.fields.keys(), ...collection.relations.keys()];
  const others = [...archive.registry.collections.values()]
    .filter(({ name }) => name !== collection.name)
    .map(({ name }) => ({ collection: name, filter: null, fields: ['*'] }));
  return {
    policies: [
      [
        ...others,
        { collection: collection.name, filter: null, fields: names.filter((name) => name !== field.name) },
        {
          collection: collection.name,
          filter: {
            kind: 'compare',
            field: key,
            operator: 'in',
            operand: shown.map((value) => ({ sent: value, value })),
          },
          fields: ['*'],
        },
      ],
      [],
      [],
    ],
    holders: [[0], [0], [0], [0]],
  };
};

const questionsOn = (
  { rows, registry }: Archive,
  { name: collection, key }: Collection,
  { name, type }: Field,
): readonly Question[] => {
  const keys = key.map((each) => each.name);
  const ask = (kind: string, parameters: Question['parameters'], where = collection): Question => ({
    kind,
    collection: where,
    parameters: { limit: -1, fields: keys, ...parameters },
  });
  const [, hidden] = (rows.get(collection) ?? []).filter((row) => row[name] !== null && row[name] !== '');
  const value = hidden?.[name];
  const isNumber = type === 'integer' || type === 'float';
  const paths = [...registry.collections.values()].flatMap((each) =>
    [...each.relations.values()].flatMap((relation) =>
      relation.kind === 'manyToOne' && relation.collection.name === collection
        ? [[each, `${relation.name}.${name}`] as const]
        : [],
    ),
  );
  return [
    ask('sort', { sort: [name] }),
    ask('sort', { sort: [`-${name}`] }),
    ...paths.map(([each, path]) =>
      ask('sort of related items', { sort: [path], fields: each.key.map((part) => part.name) }, each.name),
    ),
    ask('alias', { alias: { x: name }, fields: [...keys, 'x'] }),
    ...(type === 'string' || type === 'text' ? [ask('search', { search: String(value) })] : []),
    ...(value === undefined ? [] : [ask('filter', { filter: { [name]: { _eq: value } } })]),
    ask('group', { fields: undefined, aggregate: { min: keys.slice(0, 1) }, groupBy: [name] }),
    ...(isNumber
      ? [
          ask('having', {
            fields: undefined,
            aggregate: { max: [name] },
            groupBy: keys.slice(0, 1),
            having: { max: { [name]: { _gte: value } } },
          }),
        ]
      : []),
    ask('aggregate', { fields: undefined, aggregate: { countDistinct: [name] }, groupBy: keys.slice(0, 1) }),
    ...(type === 'integer' || type === 'date'
      ? [ask('cursor', { sort: [name], limit: 3, meta: ['cursor'] })]
      : []),
  ];
};

/** The answers to a question and, where it has a cursor, to that of the next page. */
const answerTo = async (handle: Handle, question: Question, token: string | null): Promise<string> => {
  const send = async (parameters: Question['parameters']): Promise<string> => {
    const written = Object.fromEntries(Object.entries(parameters).filter(([, each]) => each !== undefined));
    const request = parametersRequest(`/items/${question.collection}`, written, { way: 'body', token });
    return String((await handle(request)).body);
  };
  const first = await send(question.parameters);
  if (question.kind !== 'cursor') return first;
  const { meta } = JSON.parse(first) as { readonly meta: { readonly cursor: string | null } };
  return meta.cursor === null ? first : first + (await send({ ...question.parameters, after: meta.cursor }));
};

const kinds = [
  'sort',
  'sort of related items',
  'alias',
  'search',
  'filter',
  'group',
  'having',
  'aggregate',
  'cursor',
];

describe.each(dialects)('cells that a rule hides on %s', (dialect) => {
  let archive: Archive;
  let open: (access: Access) => Handle;

  beforeAll(async () => {
    archive = await openArchive(dialect);
    open = await openPipeline(archive);
  });

  afterAll(() => archive.close());

  it(
    'change no answer to any question about their field',
    async () => {
      const told = new Map(kinds.map((kind) => [kind, 0]));
      const changed: unknown[] = [];
      for (const name of ['letter', 'person']) {
        const collection = archive.registry.collections.get(name) as Collection;
        const keys = new Set(collection.key);
        for (const field of collection.fields.values()) {
          if (keys.has(field) || !hasOrder(field)) continue;
          const scenario = scenarioOf(archive, collection, field);
          const handle = open(accessOf(scenario));
          const questions = questionsOn(archive, collection, field);
          const askAll = async (): Promise<readonly (readonly [string, string])[]> => {
            const answers: [string, string][] = [];
            for (const each of questions)
              answers.push([await answerTo(handle, each, viewer), await answerTo(handle, each, adminToken)]);
            return answers;
          };
          const before = await askAll();
          const changes = hiddenChanges({ archive, viewer: viewerOf(scenario, viewer), fallback });
          const after = await withChanges(archive, changes, askAll);
          questions.forEach((question, index) => {
            if (before[index]?.[0] !== after[index]?.[0]) changed.push({ field: field.name, ...question });
            if (before[index]?.[1] !== after[index]?.[1])
              told.set(question.kind, (told.get(question.kind) ?? 0) + 1);
          });
        }
      }
      expect(changed).toEqual([]);
      expect([...told].filter(([, count]) => count === 0)).toEqual([]);
    },
    patience,
  );
});
