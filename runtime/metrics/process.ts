/** Gauges of this process: its event loop, CPU time and memory. */
import { monitorEventLoopDelay, performance, type EventLoopUtilization } from 'node:perf_hooks';
import type { ReadGauges } from './metrics.js';
import type { Tallies } from './tallies.js';

/** Milliseconds between two measurements of the event loop. */
const resolution = 20;

/** Starts to measure the delay of the event loop, until closed. Utilization is that since the last read. */
export const watchProcess = (tallies: Pick<Tallies, 'set'>): { readonly read: ReadGauges; close(): void } => {
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  let last: EventLoopUtilization = performance.eventLoopUtilization();
  tallies.set('startTime', [], performance.timeOrigin / 1000);
  return {
    read({ set }) {
      const used = performance.eventLoopUtilization();
      set('loopUtilization', [], performance.eventLoopUtilization(used, last).utilization);
      last = used;
      for (const [stat, nanoseconds] of [
        ['p50', delay.percentile(50)],
        ['p99', delay.percentile(99)],
        ['max', delay.max],
      ] as const) {
        // a timer that comes at its time has no delay
        set('loopDelay', [stat], Math.max(0, nanoseconds / 1e9 - resolution / 1000));
      }
      delay.reset();
      const { user, system } = process.cpuUsage();
      set('cpu', [], (user + system) / 1e6);
      const { rss, heapUsed } = process.memoryUsage();
      set('memory', [], rss);
      set('heap', [], heapUsed);
    },
    close: () => delay.disable(),
  };
};
