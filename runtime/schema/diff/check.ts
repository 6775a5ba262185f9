/** Validates the structure of a diff that a client sends. Its changes are checked later, on the snapshot that they lead to. */
import { invalidPayload, throwProblems } from '../../../contract/errors.js';
import { lazy } from '../../concurrency/lazy.js';
import { createAjv } from '../../request/json-schema.js';
import { refuseSpecialKeys } from '../snapshot/check.js';
import { accessLists } from '../access-rows/types.js';
import type { SchemaDiff } from './types.js';

const path = {
  type: 'array',
  minItems: 1,
  maxItems: 20,
  items: {
    anyOf: [
      { type: 'string', maxLength: 255 },
      { type: 'integer', minimum: 0, maximum: 10_000 },
    ],
  },
};

const change = {
  type: 'object',
  required: ['kind'],
  oneOf: [
    { properties: { kind: { const: 'N' }, path }, required: ['rhs'] },
    { properties: { kind: { const: 'D' }, path }, required: ['lhs'] },
    { properties: { kind: { const: 'E' }, path }, required: ['path', 'lhs', 'rhs'] },
    {
      properties: {
        kind: { const: 'A' },
        path,
        index: { type: 'integer', minimum: 0, maximum: 10_000 },
        item: { type: 'object', required: ['kind'], properties: { kind: { enum: ['N', 'D'] } } },
      },
      required: ['path', 'index', 'item'],
    },
  ],
};

const name = { type: 'string', minLength: 1, maxLength: 1000 };

const entries = (keys: readonly string[]) => ({
  type: 'array',
  maxItems: 200_000,
  items: {
    type: 'object',
    required: [...keys, 'diff'],
    properties: {
      ...Object.fromEntries(keys.map((key) => [key, name])),
      diff: { type: 'array', items: change, maxItems: 1000 },
    },
  },
});

const diffJsonSchema = {
  type: 'object',
  required: ['collections', 'fields', 'relations'],
  additionalProperties: false,
  properties: {
    collections: entries(['collection']),
    fields: entries(['collection', 'field']),
    systemFields: { type: 'array', maxItems: 0 },
    relations: entries(['collection', 'field']),
    ...Object.fromEntries(accessLists.map((list) => [list, entries(['id'])])),
  },
};

const validator = lazy(async () =>
  createAjv({ strict: false, allowUnionTypes: true }).compile(diffJsonSchema),
);

/** Validates a diff as clients send it. @throws INVALID_PAYLOAD */
export const checkDiff = async (value: unknown): Promise<SchemaDiff> => {
  refuseSpecialKeys(value);
  const validate = await validator();
  if (!validate(value)) {
    const [error] = validate.errors ?? [];
    const place = `diff${error?.instancePath ?? ''}`.replaceAll('/', '.');
    throwProblems([
      invalidPayload(
        `"${place}" ${error?.message ?? 'is not valid'}; send the diff as POST /schema/diff returned it`,
      ),
    ]);
  }
  return value as SchemaDiff;
};
