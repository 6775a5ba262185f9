/** The recorded cases of snapshot, diff and apply, on every database. */
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageVersion } from '../../../runtime/config/package.js';
import { dialectsOf, type TestDialect } from '../../databases.js';
import type { Answer, TestServer } from '../server-harness.js';
import { decisionOf, readCases, type RecordedCase } from './cases.js';
import { compareValues, fillIn, type Bindings } from './compare.js';
import { encodeForm, type Part } from './forms.js';
import { startTiny } from './tiny.js';

const dialects = dialectsOf(import.meta.url);

type Json = Record<string, unknown>;
type Place = readonly (string | number | Json)[];

interface Edit {
  readonly set?: Place;
  readonly remove?: Place;
  readonly append?: Place;
  readonly value?: unknown;
}

interface SchemaCase extends RecordedCase {
  readonly bodyFrom?: { readonly case: string; readonly edits?: readonly Edit[] };
  readonly multipartFrom?: Omit<Part, 'content'> & {
    readonly case: string;
    readonly replace?: readonly (readonly [string, string])[];
  };
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Steps to a part of a value; an object picks the entry of a list that has these keys. */
const step = (value: unknown, key: Place[number]): string | number => {
  if (!isObject(key)) return key;
  const at = (value as Json[]).findIndex((entry) =>
    Object.entries(key).every(([name, part]) => entry[name] === part),
  );
  if (at === -1) throw new Error(`no entry has ${JSON.stringify(key)}`);
  return at;
};

const edit = (value: unknown, { set, remove, append, value: given }: Edit): void => {
  const path = set ?? remove ?? append ?? [];
  let parent = value as Json;
  for (const key of path.slice(0, -1)) parent = parent[step(parent, key)] as Json;
  const last = step(parent, path.at(-1) ?? '');
  if (set !== undefined) parent[last] = given;
  else if (append !== undefined) (parent[last] as unknown[]).push(given);
  else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete parent[last];
};

/** Keys that a snapshot of ours may lack. */
const optional: ReadonlySet<string> = new Set([
  'preview_url',
  'versioning',
  'searchable',
  'is_indexed',
  'systemFields',
]);

/** Further keys may be there, and some may be absent: both sides without them. */
const align = (expected: unknown, actual: unknown): readonly [unknown, unknown] => {
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    const pairs = expected.map((entry, at) => align(entry, actual[at]));
    return [pairs.map(([left]) => left), pairs.map(([, right]) => right)];
  }
  if (!isObject(expected) || !isObject(actual) || 'errors' in expected) return [expected, actual];
  const keys = Object.keys(expected).filter((key) => key in actual || !optional.has(key));
  const pairs = keys.map((key) => ({ key, sides: align(expected[key], actual[key]) }));
  return [
    Object.fromEntries(pairs.map(({ key, sides }) => [key, sides[0]])),
    Object.fromEntries(pairs.map(({ key, sides }) => [key, sides[1]])),
  ];
};

const fillVersion = <Value>(value: Value): Value =>
  JSON.parse((JSON.stringify(value) ?? 'null').replaceAll('<version>', packageVersion)) as Value;

/** System fields are those of the public system. */
const withoutSystemFields = (value: unknown): unknown => {
  if (!isObject(value)) return value;
  if (isObject(value.data)) return { ...value, data: withoutSystemFields(value.data) };
  const { systemFields: _system, ...rest } = value;
  return rest;
};

const judge = (
  given: SchemaCase,
  answer: Answer,
  { bindings, dialect }: { readonly bindings: Bindings; readonly dialect: TestDialect },
): readonly string[] => {
  const { contentType, responseHeaders } = given;
  const differs = decisionOf(given, dialect);
  const status = differs?.status ?? given.status;
  if (answer.status !== status) return [`status ${answer.status} instead of ${status}: ${answer.text}`];
  if (differs?.code !== undefined) return answer.codes.includes(differs.code) ? [] : [answer.text];
  const response = differs === undefined ? given.response : differs.response;
  const disposition = responseHeaders?.['content-disposition']?.replace('<stamp>', '\\d{8}-\\d{5,6}');
  const header = answer.headers.get('content-disposition') ?? '';
  if (disposition !== undefined && !new RegExp(`^${disposition}$`).test(header))
    return [`the header is ${header}`];
  const isText = contentType !== undefined;
  if (isText && !(answer.headers.get('content-type') ?? '').startsWith(contentType)) return ['another type'];
  const [expected, actual] = align(
    withoutSystemFields(fillVersion(isText ? load(response as string) : response)),
    withoutSystemFields(isText ? load(answer.text) : answer.body),
  );
  return compareValues(expected, actual, bindings);
};

describe.each(dialects)('the recorded cases of the schema on %s', (dialect) => {
  const bindings: Bindings = new Map();
  const answers = new Map<string, Answer>();
  let server: TestServer;
  beforeAll(async () => {
    server = await startTiny(dialect);
  });
  afterAll(() => server.close());

  const answerOf = (name: string): Answer => {
    const answer = answers.get(name);
    if (answer === undefined) throw new Error(`there is no answer to "${name}"`);
    return answer;
  };

  const bodyOf = ({ body, bodyFrom }: SchemaCase): unknown => {
    if (bodyFrom === undefined) return body;
    const value = structuredClone(answerOf(bodyFrom.case).data);
    for (const each of bodyFrom.edits ?? []) edit(value, each);
    return value;
  };

  const partsOf = ({ multipart = [], multipartFrom }: SchemaCase): readonly Part[] => {
    if (multipartFrom === undefined) return multipart;
    const { case: name, replace = [], ...part } = multipartFrom;
    const answer = answerOf(name);
    const text = answer.body === null ? answer.text : JSON.stringify(answer.data);
    const content = replace.reduce((edited, [from, to]) => edited.replace(from, to), text);
    return [...multipart, { ...part, content }];
  };

  const send = async (given: SchemaCase): Promise<Answer> => {
    const as = given.as === 'public' ? {} : { as: given.as };
    const parts = partsOf(given);
    if (parts.length > 0)
      return server.request(given.method, given.path, { ...as, ...(await encodeForm(parts)) });
    const body = bodyOf(given);
    return server.request(given.method, given.path, {
      ...as,
      ...(given.headers !== undefined && { headers: given.headers }),
      ...(body !== undefined && { body: fillIn(body, bindings) }),
      ...(given.rawBody !== undefined && { raw: given.rawBody }),
    });
  };

  it('?explain adds an explanation to a difference', async () => {
    const { data } = await server.request('GET', '/schema/snapshot', { as: 'admin' });
    const snapshot = structuredClone(data) as { readonly fields: Json[] };
    const [first] = snapshot.fields;
    Object.assign(first ?? {}, { meta: { note: 'the key' } });
    const asked = { as: 'admin', body: snapshot };
    const explained = await server.request('POST', '/schema/diff?explain', asked);
    expect((explained.data as Json).explain).toEqual({
      statements: [],
      // a row of meta is written anew
      rows: [
        expect.stringMatching(/^delete from svc_fields .*'id'$/),
        expect.stringMatching(/^insert into svc_fields .*'the key'/),
        'update svc_access_version set version = version + 1 where id = 1',
      ],
      script: {
        transactional: dialect === 'sqlite' || dialect === 'postgres',
        session: expect.any(Array),
        begin: [expect.any(String)],
        commit: expect.any(Array),
      },
      phases: [],
      collections: [],
      access: [],
      breaking: [],
      destructive: false,
      refused: false,
    });
    expect(
      await server.request('POST', '/schema/diff', asked).then((plain) => plain.data),
    ).not.toHaveProperty('explain');
  });

  // a case reads what those before it wrote
  describe('in order', { shuffle: false }, () => {
    for (const given of readCases('schema') as readonly SchemaCase[]) {
      it(`${given.name}`, async () => {
        const answer = await send(given);
        answers.set(given.name, answer);
        expect(judge(given, answer, { bindings, dialect })).toEqual([]);
      });
    }
  });
});
