/** The rooms whose code is mutated, each with the tests that the mutations are tried on. None needs a service. */
export interface Room {
  readonly files: readonly string[];
  readonly tests: readonly string[];
}

const units = (...names: readonly string[]): string => `test/runtime/units/{${names.join(',')}}.test.ts`;

export const rooms: Readonly<Record<string, Room>> = {
  sql: {
    files: ['runtime/sql/*.ts'],
    tests: [
      units(
        'bound-values',
        'conditions',
        'fragment',
        'keys-and-patterns',
        'list-forms',
        'read-statements',
        'selections',
        'write-statements',
      ),
    ],
  },
  plan: {
    files: ['runtime/plan/*.ts'],
    tests: [
      units(
        'any-values',
        'bound-values',
        'conditions',
        'dependent-rows',
        'empty-lists',
        'geometries',
        'hashed-values',
        'joined-writes',
        'list-plans',
        'list-positions',
        'nested-plans',
        'own-rows',
        'payload-forms',
        'planned-conditions',
        'planned-cursors',
        'planned-filters',
        'planned-functions',
        'planned-groups',
        'planned-items',
        'planned-list-filters',
        'planned-lists',
        'planned-orders',
        'planned-parents',
        'planned-permissions',
        'planned-reads',
        'planned-references',
        'planned-rows',
        'planned-selections',
        'planned-upserts',
        'problem-locations',
        'read-statements',
        'rule-problems',
        'selections',
        'stored-values',
        'filter-evaluation',
        'values',
        'write-statements',
      ),
    ],
  },
  access: {
    files: ['runtime/access/*.ts'],
    tests: [
      units(
        'access-cache',
        'addresses',
        'confirmation',
        'credentials',
        'escalation',
        'escalated-second-factor',
        'explain',
        'grant',
        'lease',
        'limiter',
        'permission-views',
        'policies',
        'policy-cache',
        'principal',
        'query-variables',
        'revocation',
        'rule-faults',
        'share-reads',
        'variables',
      ),
    ],
  },
  model: {
    files: ['generator/model/*.ts'],
    tests: ['test/generator/model/*.test.ts'],
  },
};
