/** The units of systemd in `docs/` start commands that exist, and are watched. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../runtime/config/package.js';
import { variables } from '../../runtime/config/variables.js';

const folder = join(packageRoot, 'docs', 'systemd');
const commands = readFileSync(join(packageRoot, 'runtime', 'cli.ts'), 'utf8');

/** The settings of a unit; of a name that occurs twice the last. */
const readUnit = (file: string): ReadonlyMap<string, string> =>
  new Map(
    Array.from(
      readFileSync(join(folder, file), 'utf8').matchAll(/^(\w+)=(.*)$/gm),
      ([, name = '', value = '']) => [name, value] as const,
    ),
  );

/** Seconds after which a process that hangs is replaced by `svc` itself. */
const ownSeconds = Number.parseInt(variables.WATCHDOG.default ?? '', 10);

describe.each(readdirSync(folder))('%s', (file) => {
  const unit = readUnit(file);

  it('notifies systemd, which restarts it where its own watchdog does not', () => {
    expect([unit.get('Type'), unit.get('NotifyAccess'), unit.get('Restart')]).toEqual([
      'notify',
      'all',
      'always',
    ]);
    expect(Number(unit.get('WatchdogSec'))).toBeGreaterThan(2 * ownSeconds);
  });

  it('reads the settings of all processes, then those of its own', () => {
    const own = file.includes('@') ? '-/etc/%p-%i.env' : '-/etc/%p.env';
    const files = readFileSync(join(folder, file), 'utf8').matchAll(/^EnvironmentFile=(.*)$/gm);
    expect(Array.from(files, ([, name]) => name)).toEqual(['/etc/svc.env', own]);
  });

  it('hands its control group to the processes of models', () => {
    expect(unit.get('Delegate')).toBe('memory');
    // it would be read-only
    expect(unit.get('ProtectControlGroups')).toBeUndefined();
  });

  it('starts a command of svc', () => {
    const [, name = ''] = /\/svc (\w+)/.exec(unit.get('ExecStart') ?? '') ?? [];
    expect(commands).toContain(`['${name}', async`);
  });
});

it('an instance of svc-worker@.service is a role, or a pool whose own file sets both variables', () => {
  const unit = readUnit('svc-worker@.service');
  expect(unit.get('Environment')).toBe('SVC_ROLE=%i SVC_ARGUMENTS=');
  expect(unit.get('ExecStart')).toMatch(/ worker --role \$\{SVC_ROLE\} \$SVC_ARGUMENTS$/);
});
