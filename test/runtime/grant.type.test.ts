/** No plan without a grant, no grant without policies: checked by the compiler (`tsc -p tsconfig.test.json`). */
import { expectTypeOf, it } from 'vitest';
import { always, createGrant, type Grant } from '../../runtime/access/grant.js';
import type { PolicySet } from '../../runtime/access/policies.js';
import { createRegistry, type Collection } from '../../contract/collection.js';
import { planRead } from '../../runtime/plan/read.js';
import { conditionTrue, type ReadPlan } from '../../runtime/plan/types.js';
import type { CreatePlan, DeletePlan, UpdatePlan } from '../../runtime/plan/write-plan.js';

const declared = createRegistry([{ name: 'thing', path: '/items/thing', key: [], fields: {} }]);
const collection = declared.collections.get('thing') as Collection;

const read = {
  collection,
  select: { kind: 'object', entries: [] },
  where: conditionTrue,
  whereTotal: conditionTrue,
  order: [],
  limit: 'all',
  offset: null,
  page: null,
  meta: [],
} as const;
const create = { collection, rows: [], locations: [], parents: [], lists: [], stored: [], references: [] };
const update = {
  collection,
  row: new Map<string, string>(),
  location: { index: null, path: [], pointer: [] },
  parents: [],
  lists: [],
  where: conditionTrue,
  stored: null,
  references: [],
  writtenNames: [],
};
const remove = { collection, where: conditionTrue };

/** Everything that a grant shows. */
const likeness = {
  collection,
  action: 'read',
  admin: true,
  everyField: true,
  rows: always,
  fields: new Map<string, typeof always>(),
  validation: always,
  presets: {},
} as const;

const take = <Value>(value: Value): Value => value;

const withGrant = (grant: Grant) => [
  take<ReadPlan>({ ...read, grant }),
  take<CreatePlan>({ ...create, grant }),
  take<UpdatePlan>({ ...update, grant }),
  take<DeletePlan>({ ...remove, grant }),
];

it('plans can be created with a grant', () => {
  expectTypeOf(withGrant).parameter(0).toEqualTypeOf<Grant>();
});

it('plans cannot be created without a grant', () => {
  // @ts-expect-error the grant is missing
  take<ReadPlan>(read);
  // @ts-expect-error the grant is missing
  take<CreatePlan>(create);
  // @ts-expect-error the grant is missing
  take<UpdatePlan>(update);
  // @ts-expect-error the grant is missing
  take<DeletePlan>(remove);
  expectTypeOf(read).not.toHaveProperty('grant');
});

it('objects with the shape of a grant are rejected', () => {
  // @ts-expect-error only policies make a grant
  take<Grant>(likeness);
  // @ts-expect-error only policies make a grant
  take<ReadPlan>({ ...read, grant: likeness });
  expectTypeOf(likeness).not.toExtend<Grant>();
});

it('policies create grants or reject', () => {
  expectTypeOf(createGrant).returns.toEqualTypeOf<Grant | null>();
  expectTypeOf<PolicySet['grant']>().returns.toEqualTypeOf<Grant | null>();
  expectTypeOf(planRead).parameter(2).toHaveProperty('policies').toEqualTypeOf<PolicySet>();
});
