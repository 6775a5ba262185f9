/** A trace that its caller does not record is passed on as such, so that no service below records it. */
import { expect, it } from 'vitest';
import { createTracing } from '../../../runtime/tracing/open-telemetry.js';

it('a span of a trace that is not recorded says so to those whom it calls', async () => {
  const tracing = createTracing({ endpoint: 'http://127.0.0.1:9', service: 'svc', version: '1.2.3' });
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const start = {
    name: 'run',
    kind: 'consumer',
    parent: `00-${trace}-00f067aa0ba902b7-00`,
    attributes: {},
  } as const;
  const given = await tracing.span(start, async ({ traceparent }) => traceparent);
  await tracing.close();
  expect(given).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`));
});
