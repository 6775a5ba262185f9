import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { prepareDemo } from '../../runtime/commands/demo.js';

describe('the port of svc demo', () => {
  beforeEach(() => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each([
    ['is the usual one where it is free', {}, [], 8080],
    ['is a free one where the usual one is taken', {}, [8080], 0],
    ['is the given one, even if it is taken', { PORT: '9001' }, [9001], 9001],
  ])('%s', async (_, environment, taken: readonly number[], expected) => {
    const { config } = await prepareDemo(environment, async (_host, port) => !taken.includes(port));
    expect(config.port).toBe(expected);
  });

  it('is reported if it is another one', async () => {
    await prepareDemo({}, async () => false);
    const [said] = vi.mocked(process.stdout.write).mock.calls[0] ?? [];
    expect(said).toContain('port 8080 is in use');
  });
});
