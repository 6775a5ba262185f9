/** Memory of models is limited by control groups where systemd has handed the worker's own to it. `LONG=1`: by a kernel. */
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openMemoryGroups } from '../../runtime/queue/models/children/memory-groups.js';
import { runInLinux } from '../services/user-mode-linux.js';

/** A user other than root. */
const user = process.getuid?.() || 12_345;

describe('groups below that of a unit', () => {
  const path = '/system.slice/svc-worker@models.service';
  let root = '';
  let unit = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'svc-groups-'));
    unit = join(root, path);
    mkdirSync(unit, { recursive: true });
    writeFileSync(join(unit, 'cgroup.controllers'), 'cpu memory pids\n');
    writeFileSync(join(unit, 'cgroup.procs'), '');
    chownSync(unit, user, -1);
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const membership = `0::${path}\n`;
  const read = (...file: readonly string[]) => readFileSync(join(unit, ...file), 'utf8');

  it('have the limit of their process, and tell whether the kernel ended it for its memory', () => {
    const groups = openMemoryGroups({ root, membership: `3:cpu:/\n0::${path}/main\n`, user });
    expect(read('cgroup.subtree_control')).toBe('+memory');
    const group = groups?.add(77, 5_000);
    expect(read('model-77', 'memory.max')).toBe('5000');
    expect(read('model-77', 'memory.oom.group')).toBe('1');
    expect(read('model-77', 'cgroup.procs')).toBe('77');
    writeFileSync(join(unit, 'model-77', 'memory.events'), 'low 0\noom 0\noom_kill 0\n');
    expect(group?.end()).toBe(false);
    writeFileSync(join(unit, 'model-77', 'memory.events'), 'low 0\noom 1\noom_kill 1\n');
    expect(group?.end()).toBe(true);
    // there is one already
    expect(groups?.add(77, 5_000)).toBeNull();
  });

  it.each([
    ['the process is not in a unit', { membership: '0::/user.slice/session-1.scope\n' }],
    ['the hierarchy is of the first version', { membership: `4:memory:${path}\n` }],
    ['the unit is that of another user', { user: user + 1 }],
  ])('are not made where %s', (_, options) => {
    expect(openMemoryGroups({ root, membership, user, ...options })).toBeNull();
    expect(existsSync(join(unit, 'main'))).toBe(false);
  });

  it.runIf(process.getuid?.() === 0)('are not made for root, to whom each unit belongs', () => {
    chownSync(unit, 0, -1);
    expect(openMemoryGroups({ root, membership, user: 0 })).toBeNull();
  });

  it('are not made without the controller of memory', () => {
    writeFileSync(join(unit, 'cgroup.controllers'), 'cpu pids\n');
    expect(openMemoryGroups({ root, membership, user })).toBeNull();
  });
});

it.runIf(process.env.LONG !== undefined)(
  'the kernel ends what takes too much at once, and what has left its parent',
  async () => {
    const folder = fileURLToPath(new URL('../..', import.meta.url));
    const unit = '/sys/fs/cgroup/svc-worker@models.service';
    // as systemd does: the group belongs to the user of the unit
    const output = await runInLinux(`cd ${folder}
echo +memory > /sys/fs/cgroup/cgroup.subtree_control
mkdir ${unit}
chown -R 65534 ${unit}
(
  echo $BASHPID > ${unit}/cgroup.procs
  exec setpriv --reuid 65534 --clear-groups --inh-caps +dac_override --ambient-caps +dac_override \
    ${process.execPath} --import tsx test/queue/grouped-runs.ts burst escape good
)
ls -d ${unit}/model-*
pgrep -a -f -- '--[e]val'`);
    const ends = Array.from(
      output.matchAll(/ended: (\{.*?\})/g),
      ([, json = '']) => JSON.parse(json) as object,
    );
    expect(ends).toEqual([
      { name: 'burst', outOfMemory: true },
      { name: 'escape', outOfMemory: true },
      { name: 'good', kind: 'result' },
    ]);
    expect(output).toContain('own group: 0::/svc-worker@models.service/main');
    expect(output).toContain('limited by: kernel');
    // nothing is left of the groups, nor of the processes
    expect(output).toContain(`cannot access '${unit}/model-*'`);
    expect(output).not.toContain('--eval');
  },
);
