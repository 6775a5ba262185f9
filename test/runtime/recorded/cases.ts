/** Recorded requests with their answers: see `test/data/recorded/README.md`. */
import { readFileSync } from 'node:fs';
import type { TestDialect } from '../../databases.js';
import { cookiesOf } from '../harness/cookies.js';
import type { Answer, TestServer } from '../server-harness.js';
import { compareValues, fillIn, type Bindings } from './compare.js';
import { encodeForm, type Part } from './forms.js';
import { dataPath } from './museum.js';
import { fillTokens } from './tokens.js';

export const groups = ['reads', 'writes', 'errors', 'access', 'auth', 'dashboards', 'graphql'] as const;

export interface RecordedCase {
  readonly name: string;
  readonly restore?: true;
  readonly as: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly rawBody?: string;
  readonly multipart?: readonly Part[];
  readonly status: number;
  readonly contentType?: string;
  readonly cookies?: readonly CookieCase[];
  /** By lower-case name. */
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly response?: unknown;
  readonly differs?: Decision;
  readonly databases?: Readonly<Partial<Record<TestDialect, Decision>>>;
}

/** With an empty value, only that it is taken back. */
interface CookieCase {
  readonly name: string;
  readonly value: string;
  /** In lower case, without `expires`. */
  readonly attributes: readonly string[];
}

/** The response that svc returns instead: its code, or all of it. */
interface Decision {
  readonly status: number;
  readonly code?: string;
  /** Other codes that are as good. */
  readonly alternatives?: readonly string[];
  readonly details?: Readonly<Record<string, unknown>>;
  readonly contentType?: string;
  readonly response?: unknown;
  readonly why: string;
}

export const readCases = (group: string): readonly RecordedCase[] =>
  readFileSync(dataPath(`${group}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedCase);

/** Sends the case; what is wrong with the answer, one sentence each. */
export const runCase = async (
  given: RecordedCase,
  server: TestServer,
  bindings: Bindings,
): Promise<readonly string[]> => (await replayCase(given, server, bindings)).problems;

interface Replay {
  readonly answer: Answer;
  /** Faults of the case, one sentence each. */
  readonly problems: readonly string[];
}

/** Sends the case, and binds what the answer has in place of its placeholders. */
export const replayCase = async (
  given: RecordedCase,
  server: TestServer,
  bindings: Bindings,
): Promise<Replay> => {
  const answer = await sendCase(given, server, bindings);
  return { answer, problems: judge(given, answer, { bindings, dialect: server.dialect }) };
};

const sendCase = async (
  { as, method, path, body, rawBody, multipart, headers }: RecordedCase,
  server: TestServer,
  bindings: Bindings,
) =>
  server.request(method, fillIn(fillTokens(path), bindings), {
    ...(as !== 'public' && { as }),
    ...(headers !== undefined && { headers: fillIn(fillTokens(headers), bindings) }),
    ...(body !== undefined && { body: fillIn(body, bindings) }),
    ...(rawBody !== undefined && { raw: rawBody === '<large>' ? largeBody : rawBody }),
    ...(multipart !== undefined && (await encodeForm(multipart))),
  });

const largeBody = JSON.stringify({ name: 'x'.repeat(1_200_000) });

/** The response of svc on a database in place of the recorded one, where they differ. */
export const decisionOf = (
  { name, differs, databases }: RecordedCase,
  dialect: TestDialect,
): Decision | undefined => {
  const decision = databases?.[dialect] ?? differs;
  if (decision !== undefined && decision.code === undefined && decision.response === undefined)
    throw new Error(`the decision on "${name}" states no response`);
  return decision;
};

const judge = (
  given: RecordedCase,
  answer: Answer,
  { bindings, dialect }: { readonly bindings: Bindings; readonly dialect: TestDialect },
): readonly string[] => {
  const differs = decisionOf(given, dialect);
  if (differs === undefined) return judgeAsRecorded(given, answer, bindings);
  if (judgeAsRecorded(given, answer, new Map(bindings)).length === 0)
    return ['the answer is the recorded one: remove its `differs`'];
  const { status = given.status } = differs;
  if (answer.status !== status) return [statusProblem(answer, status)];
  return differs.code === undefined ? judgeContent(differs, answer, bindings) : judgeCode(differs, answer);
};

const judgeAsRecorded = (given: RecordedCase, answer: Answer, bindings: Bindings): readonly string[] =>
  answer.status === given.status
    ? [
        ...judgeHeaders(given, answer),
        ...judgeContent(given, answer, bindings),
        ...judgeCookies(given, answer, bindings),
      ]
    : [statusProblem(answer, given.status)];

const statusProblem = ({ status, text }: Answer, expected: number): string =>
  `status ${status} instead of ${expected}: ${text}`;

const judgeHeaders = ({ responseHeaders = {} }: RecordedCase, { headers }: Answer): readonly string[] =>
  Object.entries(responseHeaders)
    .filter(([name, value]) => withoutStamp(headers.get(name)) !== value)
    .map(([name, value]) => `the header ${name} is ${headers.get(name)} instead of ${value}`);

/** Files are named after the time, to the second. */
const withoutStamp = (value: string | null): string | undefined =>
  value?.replace(/ \d{8}-\d{6}\./, ' <stamp>.');

type Content = Pick<RecordedCase, 'contentType' | 'response'>;

const judgeContent = (
  { contentType, response }: Content,
  { headers, text, body }: Answer,
  bindings: Bindings,
) => {
  const type = headers.get('content-type') ?? '';
  if (text !== '' && !type.startsWith(contentType ?? 'application/json'))
    return [`the content type is ${type}`];
  const isText = contentType !== undefined && text !== '';
  return compareValues(response, isText ? text : (body ?? null), bindings);
};

const judgeCookies = (
  { cookies = [] }: RecordedCase,
  answer: Answer,
  bindings: Bindings,
): readonly string[] => {
  const found = cookiesOf(answer);
  return cookies.flatMap(({ name, value, attributes }) => {
    const cookie = found.get(name);
    if (cookie === undefined) return [`the cookie ${name} is not set`];
    const wrong = compareValues(value, cookie.value, bindings);
    return value === '' ? wrong : [...wrong, ...compareValues(attributes, cookie.attributes, bindings)];
  });
};

const judgeCode = (
  { code, alternatives = [], details = {} }: Decision,
  { errors, text }: Answer,
): readonly string[] => {
  const fits = errors.some(
    (extensions) =>
      [code, ...alternatives].includes(extensions.code as string) &&
      Object.entries(details).every(([key, value]) => extensions[key] === value),
  );
  return fits ? [] : [`no error is ${code} with ${JSON.stringify(details)}: ${text}`];
};
