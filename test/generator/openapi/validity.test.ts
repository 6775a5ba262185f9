import { validate } from '@readme/openapi-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import { emitOpenApi } from '../../../generator/emitters/openapi/index.js';
import type { Model } from '../../../generator/model/types.js';
import { albums, kinds, model, named, oddNames } from '../models.js';

/** A document of its own for every reader: they change what they are given. */
const documentOf = (of: Model) => JSON.parse(emitOpenApi(of)[0]?.content ?? '');

const models: readonly (readonly [string, Model])[] = [
  ['no collection', model([])],
  ['related collections', albums()],
  ['every kind of field and collection', kinds()],
  ['odd names', named(oddNames)],
];

describe.each(models)('the document of %s', (_, of) => {
  it('is valid for the schema validator', async () => {
    expect(await new Validator().validate(documentOf(of))).toEqual({ valid: true });
  });

  it('is valid for the parser', async () => {
    expect(await validate(documentOf(of))).toEqual({ valid: true, warnings: [], specification: 'OpenAPI' });
  });
});

/** Spectral decodes paths before it looks them up, and fails on columns called `__proto__`. */
const readable = (name: string) => encodeURIComponent(name) === name && name !== '__proto__';

const linted: readonly (readonly [string, Model])[] = [
  ...models.slice(0, 3),
  ['odd names', named(oddNames.filter(readable))],
];

/** Nobody knows whom to write to about an API made from a database. */
const waived = new Set(['info-contact']);

describe.each(linted)('the document of %s', (_, of) => {
  it('passes the style linter', async () => {
    const linter = new spectral.Spectral();
    linter.setRuleset({ extends: [rulesets.oas as RulesetDefinition] });
    const findings = await linter.run(documentOf(of));
    const left = findings.filter((finding) => !waived.has(String(finding.code)));
    expect(left.map(({ code, path, message }) => ({ code, path, message }))).toEqual([]);
  });
});
