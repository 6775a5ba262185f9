import { describe, expect, it } from 'vitest';
import type { OperationDeclaration, OperationParameter } from '../../../contract/operation.js';
import { checkInput, readInput } from '../../../runtime/operations/input.js';
import { refusalsOf } from './refusals.js';

const parameter = (name: string, parts: Partial<OperationParameter> = {}): OperationParameter => ({
  name,
  in: 'query',
  required: false,
  schema: { type: 'string' },
  ...parts,
});

interface Sent {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const read = (
  operation: Partial<OperationDeclaration>,
  { path = {}, query = '', headers = {}, body = '' }: Sent,
) =>
  readInput(
    {
      path,
      operation: { id: 'serverPing', access: 'open', responses: {}, ...operation },
    },
    {
      id: '1',
      method: 'POST',
      path: '/x',
      query,
      headers: { 'content-type': 'application/json', ...headers },
      address: () => '',
      isSecure: () => false,
      isUntrustedOrigin: () => false,
      closeSignal: () => new AbortController().signal,
      onClose: () => undefined,
      stream: () => {
        throw new Error('no stream');
      },
      body: async () => Buffer.from(body),
    },
  );

const refusal = (operation: Partial<OperationDeclaration>, sent: Sent) =>
  refusalsOf(() => read(operation, sent));

const body = {
  type: 'object',
  required: ['email', 'password'],
  properties: {
    email: { type: 'string', format: 'email' },
    password: { type: 'string' },
    mode: { enum: ['json', 'cookie'] },
  },
};

describe('the input of an operation', () => {
  it('is converted in REST also after GraphQL has checked values of the same schemas', async () => {
    const operation = {
      id: 'serverPing' as const,
      access: 'open' as const,
      responses: {},
      parameters: [parameter('force', { schema: { type: 'boolean' } })],
    };
    expect(await checkInput(operation, { force: true })).toEqual({ force: true });
    expect(await read(operation, { query: 'force=true' })).toEqual({ force: true });
    expect(await refusalsOf(() => checkInput(operation, { force: 'true' }))).toHaveLength(1);
  });

  it('is converted for each of the parameters that share a schema', async () => {
    const schema = { type: 'integer' };
    const parameters = [parameter('first', { schema }), parameter('second', { schema })];
    expect(await read({ parameters }, { query: 'first=1&second=2' })).toEqual({ first: 1, second: 2 });
    expect(await refusal({ parameters }, { query: 'second=x' })).toHaveLength(1);
  });

  it('is gathered from path, query string, headers and body', async () => {
    const parameters = [
      parameter('id', { in: 'path' }),
      parameter('force', { schema: { type: 'boolean' } }),
      parameter('count', { schema: { type: 'integer' } }),
      parameter('names', { schema: { type: 'array', items: { type: 'string' } } }),
      parameter('X-Trace', { in: 'header' }),
      parameter('absent'),
    ];
    const sent = {
      path: { id: 'a' },
      query: 'force=true&count=3&names=a,b&other=1',
      headers: { 'x-trace': 't' },
      body: '{"email":"a@b.example","password":"x","more":1}',
    };
    expect(await read({ parameters, body }, sent)).toEqual({
      id: 'a',
      force: true,
      count: 3,
      names: ['a', 'b'],
      'X-Trace': 't',
      body: { email: 'a@b.example', password: 'x', more: 1 },
    });
  });

  it('has no body if none is described', async () => {
    expect(await read({}, { body: 'nothing that is read' })).toEqual({});
  });

  it('reports all problems at once without values', async () => {
    const parameters = [parameter('count', { schema: { type: 'integer' }, required: true }), parameter('x')];
    expect(await refusal({ parameters, body }, { body: '{"email":"no-mail","mode":"magic"}' })).toEqual([
      'INVALID_QUERY: "count" is missing',
      'INVALID_PAYLOAD: "password" is missing',
      'INVALID_PAYLOAD: "email" must match format "email"',
      'INVALID_PAYLOAD: "mode" must be one of json, cookie',
    ]);
  });

  it('is validated as a whole if its parts are valid', async () => {
    const either = { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] };
    expect(await refusal({ body: either }, { body: '{}' })).toEqual([
      "INVALID_PAYLOAD: it must have required property 'a'",
    ]);
    expect(await refusal({ body }, { body: '[]' })).toEqual(['INVALID_PAYLOAD: it must be object']);
  });

  it('is forbidden for an unknown path', async () => {
    const parameters = [parameter('id', { in: 'path', schema: { type: 'string', format: 'uuid' } })];
    expect(await refusal({ parameters }, { path: { id: 'x' } })).toEqual([
      'FORBIDDEN: "id" must match format "uuid"',
    ]);
  });

  it('stops at the first problem of a part, however many there are', async () => {
    const list = { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } };
    const many = JSON.stringify({ list: Array.from({ length: 10_000 }, (_, index) => index) });
    expect(await refusal({ body: list }, { body: many })).toEqual([
      'INVALID_PAYLOAD: "list.0" must be string',
    ]);
  });

  it.each(['path', 'query', 'header'] as const)('rejects NUL characters in a %s', async (place) => {
    const parameters = [parameter('id', { in: place })];
    const sent = { path: { id: 'a\0' }, query: 'id=%00a', headers: { id: '\0' } };
    const code = place === 'path' ? 'FORBIDDEN' : 'INVALID_QUERY';
    expect(await refusal({ parameters }, sent)).toEqual([`${code}: "id" must not hold NUL characters`]);
  });
});
