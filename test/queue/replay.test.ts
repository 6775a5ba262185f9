/**
 * Workflows that were begun by an earlier version go on under this one. `UPDATE=histories` records what `histories/` lacks;
 * one that is there is deleted only where a change ends running workflows on purpose.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { recordHistories } from './recording.js';
import { workflowBundle } from './workflow-bundle.js';

const folder = fileURLToPath(new URL('histories/', import.meta.url));

const replay = async (history: unknown): Promise<void> =>
  Worker.runReplayHistory({ workflowBundle: { codePath: await workflowBundle() } }, history);

const cases = 16;

const histories = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.json'));

beforeAll(async () => {
  const isAsked = process.env.UPDATE === 'histories' && !process.env.CI;
  if (isAsked && histories().length < cases) await recordHistories(folder);
});

describe('replaying a workflow', () => {
  it('has a history for each case', () => {
    expect(histories().length).toBe(cases);
  });

  it.each(histories())('accepts the recorded history %s', async (name) => {
    const history: unknown = JSON.parse(readFileSync(`${folder}${name}`, 'utf8'));
    await expect(replay(history)).resolves.toBeUndefined();
  });

  it('fails if a step has changed', async () => {
    const text = readFileSync(`${folder}request-ok.json`, 'utf8').replaceAll('"runModel"', '"runOther"');
    await expect(replay(JSON.parse(text))).rejects.toThrow(/determinis/i);
  });
});
