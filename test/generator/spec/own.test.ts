import { describe, expect, it } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SpecFault } from '../../../generator/spec/types.js';
import { validateSpec } from '../../../generator/spec/validate.js';
import { parseYaml } from '../../../generator/spec/yaml.js';
import { filterOperators } from '../../../generator/spec/filter.js';
import { operatorNames } from '../../../contract/operators.js';
import { createAjv } from '../../../runtime/request/json-schema.js';
import { ownSpec } from '../catalogs.js';

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
