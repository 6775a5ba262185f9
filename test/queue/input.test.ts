import { describe, expect, it } from 'vitest';
import { checkInput } from '../../runtime/queue/models/input.js';

const input = {
  type: 'object',
  required: ['name', 'size'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 4, pattern: '^[a-z]*$' },
    size: { type: 'integer', minimum: 1, maximum: 9 },
    share: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    kind: { enum: ['a', 'b'] },
    tags: { type: 'array', maxItems: 2, items: { type: 'string' } },
    flag: { type: 'boolean' },
    more: { type: 'object' },
  },
};

const good = { name: 'abc', size: 3 };

describe('an invalid input is reported with path, text and type:', () => {
  it.each([
    [{ name: 'abc' }, ['size'], 'field required', 'value_error.missing'],
    [{ ...good, extra: 1 }, ['extra'], 'extra fields not permitted', 'value_error.extra'],
    [{ ...good, name: 1 }, ['name'], 'str type expected', 'type_error.str'],
    [{ ...good, size: 1.5 }, ['size'], 'value is not a valid integer', 'type_error.integer'],
    [{ ...good, share: 'x' }, ['share'], 'value is not a valid float', 'type_error.float'],
    [{ ...good, flag: 'yes' }, ['flag'], 'value could not be parsed to a boolean', 'type_error.bool'],
    [{ ...good, tags: 'x' }, ['tags'], 'value is not a valid list', 'type_error.list'],
    [{ ...good, more: [] }, ['more'], 'value is not a valid dict', 'type_error.dict'],
    [{ ...good, tags: ['a', 2] }, ['tags', '1'], 'str type expected', 'type_error.str'],
    [
      { ...good, name: 'a' },
      ['name'],
      'ensure this value has at least 2 characters',
      'value_error.any_str.min_length',
    ],
    [
      { ...good, name: 'abcde' },
      ['name'],
      'ensure this value has at most 4 characters',
      'value_error.any_str.max_length',
    ],
    [{ ...good, name: 'AB' }, ['name'], 'string does not match regex "^[a-z]*$"', 'value_error.str.regex'],
    [
      { ...good, size: 0 },
      ['size'],
      'ensure this value is greater than or equal to 1',
      'value_error.number.not_ge',
    ],
    [
      { ...good, size: 10 },
      ['size'],
      'ensure this value is less than or equal to 9',
      'value_error.number.not_le',
    ],
    [{ ...good, share: 0 }, ['share'], 'ensure this value is greater than 0', 'value_error.number.not_gt'],
    [{ ...good, share: 1 }, ['share'], 'ensure this value is less than 1', 'value_error.number.not_lt'],
    [
      { ...good, tags: ['a', 'b', 'c'] },
      ['tags'],
      'ensure this value has at most 2 items',
      'value_error.list.max_items',
    ],
    [
      { ...good, kind: 'c' },
      ['kind'],
      'value is not a valid enumeration member; permitted: "a", "b"',
      'type_error.enum',
    ],
    [[], [], 'value is not a valid dict', 'type_error.dict'],
  ])('%j', (value, place, msg, type) => {
    expect(checkInput({ input }, value)).toEqual([{ loc: ['body', ...place], msg, type }]);
  });

  it('reports all problems at once', () => {
    expect(checkInput({ input }, { name: 1, extra: 2 }).map(({ loc }) => loc.join('.'))).toEqual(
      expect.arrayContaining(['body.size', 'body.extra', 'body.name']),
    );
  });
});

it('valid input has no problems', () => {
  expect(checkInput({ input }, good)).toEqual([]);
});

it('reports at most a hundred problems', () => {
  const tags = Array.from({ length: 150 }, () => 1);
  expect(checkInput({ input }, { ...good, tags })).toHaveLength(100);
});

const identified = (type: string) => ({
  $id: 'https://acme.example/input',
  type: 'object',
  $defs: { name: { $id: 'https://acme.example/name', type } },
  properties: { name: { $ref: 'https://acme.example/name' } },
});

it('is validated with the schema of its model, whatever other schemas have the same "$id"', () => {
  for (const [type, found] of [
    ['string', 0],
    ['integer', 1],
    ['string', 0],
  ] as const)
    expect(checkInput({ input: identified(type) }, { name: 'abc' })).toHaveLength(found);
});
