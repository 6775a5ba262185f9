import { describe, expect, it } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SpecFault } from '../../../generator/spec/types.js';
import { validateSpec } from '../../../generator/spec/validate.js';
import { parseYaml } from '../../../generator/spec/yaml.js';
import type { Catalog } from '../../../generator/introspection/catalog.js';
import { buildModel } from '../../../generator/model/build.js';
import { objectSchema } from '../../../generator/spec/json-schema.js';
import { filterOperators } from '../../../generator/spec/filter.js';
import { operatorNames } from '../../../contract/operators.js';
import { createAjv } from '../../../runtime/request/json-schema.js';
import { catalog } from '../catalogs.js';
import { show } from '../model/relations.js';
import { ownSpec, ownTables } from '../own-spec.js';

describe('the package’s spec', () => {
  it('has every error of the contract', () => {
    const statuses = Object.fromEntries(ownSpec.errors.map(({ code, status }) => [code, status]));
    expect(statuses).toMatchObject({
      FAILED_VALIDATION: 400,
      FORBIDDEN: 403,
      INVALID_TOKEN: 403,
      TOKEN_EXPIRED: 401,
      INVALID_CREDENTIALS: 401,
      INVALID_IP: 401,
      INVALID_OTP: 401,
      INVALID_PAYLOAD: 400,
      INVALID_QUERY: 400,
      UNSUPPORTED_MEDIA_TYPE: 415,
      REQUESTS_EXCEEDED: 429,
      ROUTE_NOT_FOUND: 404,
      SERVICE_UNAVAILABLE: 503,
      UNPROCESSABLE_ENTITY: 422,
    });
  });

  it('describes operations with valid JSON Schemas', () => {
    // with the regular expressions that the runtime supports
    const ajv = createAjv({ strict: true, allowUnionTypes: true });
    for (const { body, parameters, responses } of ownSpec.operations) {
      const schemas = [
        body,
        ...parameters.map(({ schema }) => schema),
        ...responses.map(({ schema }) => schema),
      ];
      for (const schema of schemas.filter((schema) => schema !== null))
        expect(ajv.compile(schema)).toBeTypeOf('function');
    }
  });

  it('describes inputs and outputs of models with schemas that a project’s models may have', () => {
    for (const name of readdirSync('spec/models')) {
      const text = readFileSync(join('spec', 'models', name), 'utf8');
      const faults: SpecFault[] = [];
      const model = parseYaml(text, name, faults);
      for (const key of ['input', 'output']) {
        const entry = model?.kind === 'map' ? model.entries.get(key) : undefined;
        expect(entry && objectSchema(entry.value, faults)).toMatchObject({ type: 'object' });
      }
      expect(faults).toEqual([]);
    }
  });

  it('declares every table that statements of the runtime name', () => {
    const named = new Set(
      readdirSync('runtime', { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .flatMap((path) =>
          Array.from(
            readFileSync(join('runtime', path), 'utf8').matchAll(/\b(?:from|into|update|join) (svc_\w+)/g),
            ([, table = '']) => table,
          ),
        ),
    );
    // what a data step of bootstrap removes
    named.delete('svc_lanes');
    expect([...named].filter((table) => (ownSpec.collections.get(table)?.columns ?? null) === null)).toEqual(
      [],
    );
  });

  it('has no collection options for internal tables', () => {
    const file = 'spec/collections/svc_x.yaml';
    const faults: SpecFault[] = [];
    const node = parseYaml(
      'internal: true\npath: /x\nreadonly: true\nmeta: { note: Counters }\n',
      file,
      faults,
    );
    if (node !== null) validateSpec([{ path: 'collections/svc_x.yaml', own: true, node }], faults);
    expect(faults.map(({ line, message }) => `${line}: ${message}`)).toEqual([
      '2: "path" is for collections',
      '3: "readonly" is for collections',
      '1: an internal table has no columns',
    ]);
  });

  it('refers only to tables and columns it declares', () => {
    for (const { columns } of ownSpec.collections.values()) {
      for (const { references } of columns?.values() ?? []) {
        if (references === undefined) continue;
        expect(ownSpec.collections.get(references.table)?.columns?.get(references.column)).toMatchObject({
          key: true,
        });
      }
    }
  });

  it('never clears role and user of an access row, which would make it public', () => {
    const access = ownSpec.collections.get('svc_access');
    for (const { references } of access?.columns?.values() ?? [])
      expect(references?.onDelete ?? 'cascade').toBe('cascade');
    for (const relation of access?.relations ?? []) expect(relation.one_deselect_action).toBe('delete');
  });

  it('has the same filter operators as the server', () => {
    expect(filterOperators.toSorted()).toEqual(operatorNames.map((name) => `_${name}`).sort());
  });
});

const ownCatalog = catalog([], {}, ownTables);

const allRelations = (from: Catalog) =>
  buildModel({ catalog: from, spec: ownSpec }).model.collections.map(({ relations }) => relations);

describe('the system collections', () => {
  it('have their paths', () => {
    const { model } = buildModel({ catalog: ownCatalog, spec: ownSpec });
    expect(model.collections.map(({ name, path }) => [name, path])).toEqual([
      ['svc_access', '/access'],
      ['svc_activity', '/activity'],
      ['svc_collections', null],
      ['svc_dashboards', '/dashboards'],
      ['svc_deliveries', null],
      ['svc_delivery_attempts', null],
      ['svc_fields', null],
      ['svc_keys', null],
      ['svc_panels', '/panels'],
      ['svc_permissions', '/permissions'],
      ['svc_policies', '/policies'],
      ['svc_quotas', '/quotas'],
      ['svc_relations', null],
      ['svc_request_logs', null],
      ['svc_requests', null],
      ['svc_roles', '/roles'],
      ['svc_sessions', null],
      ['svc_settings', '/settings'],
      ['svc_users', '/users'],
    ]);
  });

  it('have their lists', () => {
    const { model } = buildModel({ catalog: ownCatalog, spec: ownSpec });
    const lists = model.collections.flatMap(({ name, relations }) =>
      relations.filter(({ kind }) => kind === 'oneToMany').map((relation) => `${name}.${show(relation)}`),
    );
    expect(lists).toEqual([
      'svc_dashboards.panels: many svc_panels (id = dashboard)',
      'svc_deliveries.attempts: many svc_delivery_attempts (id = delivery)',
      'svc_policies.access: many svc_access (id = policy)',
      'svc_policies.permissions: many svc_permissions (id = policy)',
      'svc_roles.children: many svc_roles (id = parent)',
      'svc_roles.policies: many svc_access (id = role)',
      'svc_roles.svc_quotas: many svc_quotas (id = role)',
      'svc_roles.users: many svc_users (id = role)',
      'svc_users.keys: many svc_keys (id = account)',
      'svc_users.policies: many svc_access (id = user)',
      'svc_users.sessions: many svc_sessions (id = user)',
      'svc_users.svc_activity: many svc_activity (id = user)',
      'svc_users.svc_dashboards: many svc_dashboards (id = user_created)',
      'svc_users.svc_panels: many svc_panels (id = user_created)',
      'svc_users.svc_quotas: many svc_quotas (id = user)',
    ]);
  });

  it('have the relations of the spec if the database has no foreign keys', () => {
    const tables = ownCatalog.tables.map((candidate) => ({ ...candidate, foreignKeys: [] }));
    const unconstrained = allRelations(ownCatalog).map((relations) =>
      relations.map((relation) =>
        relation.kind === 'manyToOne' ? { ...relation, constrained: false } : relation,
      ),
    );
    expect(allRelations({ ...ownCatalog, tables })).toEqual(unconstrained);
  });
});
