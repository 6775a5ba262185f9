/** Prometheus accepts our alerting rules, each fires when it is caused, and the runbook explains it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { families } from '../../../runtime/metrics/families.js';
import { findPrometheus } from '../../services/prometheus.js';

const folder = join(process.cwd(), 'docs', 'operations');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
}
interface Cause {
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly object[] }[];
}

const { groups } = load(read('alerts.yml')) as { groups: readonly { readonly rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const names = rules.map(({ alert }) => alert);

const promtool = async (...args: readonly string[]): Promise<string> => {
  const { status, stdout, stderr } = spawnSync(await findPrometheus('promtool'), args, {
    cwd: folder,
    encoding: 'utf8',
  });
  return `${status} ${stdout}${stderr}`;
};

it('the rules are valid', async () => {
  expect(await promtool('check', 'rules', 'alerts.yml')).toMatch(/^0 [\s\S]*SUCCESS: 15 rules found/);
}, 120_000);

it('each alert fires when it is caused, and not before', async () => {
  const { tests } = load(read('alerts.test.yml')) as { tests: readonly Cause[] };
  const caused = tests.flatMap((test) => test.alert_rule_test);
  expect(new Set(caused.filter((each) => each.exp_alerts.length > 0).map((each) => each.alertname))).toEqual(
    new Set(names),
  );
  expect(await promtool('test', 'rules', 'alerts.test.yml')).toMatch(/^0 [\s\S]*SUCCESS/);
}, 120_000);

it('rules name only metrics and labels that exist', () => {
  for (const { alert, expr } of rules) {
    for (const [, name = '', matchers = ''] of expr.matchAll(/\b(svc_\w+)(?:\{([^}]*)\})?/g)) {
      const family = Object.values(families).find((each) => each.name === name);
      expect([alert, name, family?.name]).toEqual([alert, name, name]);
      const labels = Array.from(matchers.matchAll(/(\w+)\s*[=!]~?/g), ([, label = '']) => label);
      for (const label of labels)
        expect([alert, family?.labels]).toEqual([alert, expect.arrayContaining([label])]);
    }
  }
});

it('the runbook explains each alert', () => {
  const headings = Array.from(read('runbook.md').matchAll(/^## (\w+)$/gm), ([, name]) => name);
  expect(headings).toEqual(names);
});
