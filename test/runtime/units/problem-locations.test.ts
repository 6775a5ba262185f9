/** Problems of payloads: how they are collected, and where in the body they are. */
import { describe, expect, it } from 'vitest';
import { ApiError, ApiErrors, collectProblems, invalidPayload } from '../../../contract/errors.js';
import {
  collectLocated,
  isRefusal,
  locationDetails,
  planOrRefuse,
  type PayloadLocation,
} from '../../../runtime/plan/problem-collection.js';
import { create, problemsOf } from './member-plans.js';

const at = (location: Partial<PayloadLocation>): PayloadLocation => ({
  index: null,
  path: [],
  pointer: [],
  ...location,
});

describe('the location of a payload', () => {
  it.each<[Partial<PayloadLocation>, string | undefined, object]>([
    [{}, undefined, {}],
    [{}, 'title', { pointer: '/title' }],
    [{ index: 2 }, 'title', { index: 2, pointer: '/title' }],
    [{ index: 2, pointer: [2] }, undefined, { index: 2, pointer: '/2' }],
    [{ index: 0, pointer: [0] }, 'title', { index: 0, pointer: '/0/title' }],
    [{ pointer: ['books', 1] }, 'title', { pointer: '/books/1/title' }],
    [{ pointer: ['a/b~c/d'] }, '~1', { pointer: '/a~1b~0c~1d/~01' }],
  ])('%j, in it %s, is a JSON Pointer where it is not the body itself', (location, field, want) => {
    expect(locationDetails(at(location), field)).toEqual(want);
  });
});

const first = invalidPayload('first');
const second = invalidPayload('second');

const fail =
  (...errors: readonly ApiError[]) =>
  (): never => {
    throw errors.length === 1 ? (errors[0] as Error) : new ApiErrors([...errors] as never);
  };

describe('problems', () => {
  it('are collected one by one, in place of a result', () => {
    const problems: ApiError[] = [first];
    expect(collectProblems(problems, fail(second))).toBeNull();
    expect(collectProblems(problems, fail(first, second))).toBeNull();
    expect(collectProblems(problems, () => 5)).toBe(5);
    expect(problems).toEqual([first, second, first, second]);
  });

  it('do not include failures of the program', () => {
    const problems: ApiError[] = [];
    const run = () =>
      collectProblems(problems, () => {
        throw new TypeError('a mistake');
      });
    expect(run).toThrow(TypeError);
    expect(problems).toEqual([]);
  });
});

/** The details of problems that are collected at a location after another one. */
const locatedDetails = (location: Partial<PayloadLocation>, ...errors: readonly ApiError[]) => {
  const problems = [first];
  const result = collectLocated({ ...at(location), problems }, fail(...errors));
  expect(result).toBeNull();
  expect(problems[0]).toBe(first);
  return problems.slice(1).map(({ details }) => details);
};

describe('collected problems', () => {
  it('get the location of their payload', () => {
    expect(locatedDetails({ index: 3, path: ['books'], pointer: [3, 'books', 0] }, first, second)).toEqual([
      { reason: 'first', path: ['books'], index: 3, pointer: '/3/books/0' },
      { reason: 'second', path: ['books'], index: 3, pointer: '/3/books/0' },
    ]);
  });

  it('get no path outside of lists, and nothing where the payload is the body', () => {
    expect(locatedDetails({ index: 3, pointer: [3] }, second)).toEqual([
      { reason: 'second', index: 3, pointer: '/3' },
    ]);
    expect(locatedDetails({}, second)).toEqual([{ reason: 'second' }]);
  });

  it('keep a location that they have', () => {
    const located = new ApiError('INVALID_PAYLOAD', { reason: 'inner', pointer: '/0/title' });
    expect(locatedDetails({ index: 3, path: ['books'], pointer: [3] }, located, second)).toEqual([
      { reason: 'inner', pointer: '/0/title' },
      { reason: 'second', path: ['books'], index: 3, pointer: '/3' },
    ]);
  });

  it('keep their code and their explanation', () => {
    const problems: ApiError[] = [];
    collectLocated({ ...at({ pointer: [1] }), problems }, fail(first));
    expect(problems.map(({ code, message }) => [code, message])).toEqual([[first.code, first.message]]);
  });

  it('do not replace a result', () => {
    expect(collectLocated({ ...at({ pointer: [1] }), problems: [] }, () => 5)).toBe(5);
  });
});

describe('a plan is refused', () => {
  it('where something throws, or reports a problem', () => {
    const refusals = [
      planOrRefuse(fail(first)),
      planOrRefuse((problems) => {
        problems.push(first);
        return { plan: 1 };
      }),
    ];
    expect(refusals).toEqual([{ problems: [first] }, { problems: [first] }]);
    expect(refusals.map(isRefusal)).toEqual([true, true]);
  });

  it('only then', () => {
    const plan = planOrRefuse(() => ({ plan: 1 }));
    expect(plan).toEqual({ plan: 1 });
    expect(isRefusal(plan)).toBe(false);
  });
});

it('problems of a body point to the field', () => {
  const body = [{ label: 'x' }, { label: 'x', members: [{ name: 'a' }, { name: 'b', age: 'x' }] }];
  expect(problemsOf(() => create('team', body))).toEqual([
    expect.objectContaining({ field: 'age', index: 1, pointer: '/1/members/1/age' }),
  ]);
});

describe('rows of a plan', () => {
  it('have the location of their payload', () => {
    const { locations } = create('member', [{ name: 'a' }, { name: 'b' }]);
    expect(locations).toEqual([at({ index: 0, pointer: [0] }), at({ index: 1, pointer: [1] })]);
  });

  it('of changes of a list are located by the kind of change and the index', () => {
    const members = { create: [{ name: 'a' }, { name: 'abcdef' }] };
    expect(problemsOf(() => create('team', [{ label: 'x', members }]))).toMatchObject([
      { code: 'VALUE_TOO_LONG', pointer: '/members/create/1/name' },
    ]);
  });
});
