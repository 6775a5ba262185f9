/**
 * Tells systemd that the service is ready, alive or stopping (sd_notify). Node has no datagram sockets of the Unix
 * domain, so `systemd-notify`, which every machine with systemd has, sends the messages.
 */
import { spawn } from 'node:child_process';

type Environment = Record<string, string | undefined>;

export interface ServiceManager {
  /**
   * Reports readiness, and from then on that the service is well, at half the interval that systemd expects, also while it
   * stops. Returns a function that ends the reports.
   */
  ready(isWell: () => boolean): () => void;
  stopping(): void;
}

/** Returns a manager that does nothing where `NOTIFY_SOCKET` is absent; removes it, so that no child can notify. */
export const connectServiceManager = (environment: Environment = process.env): ServiceManager => {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec, WATCHDOG_PID: pid, PATH } = environment;
  delete environment.NOTIFY_SOCKET;
  if (socket === undefined) return { ready: () => () => {}, stopping: () => {} };
  const notify = (state: string): void => {
    const child = spawn('systemd-notify', [state], {
      env: { NOTIFY_SOCKET: socket, ...(PATH === undefined ? {} : { PATH }) },
      stdio: 'ignore',
    });
    // without the program, systemd reports the missing notification
    child.once('error', () => {}).unref();
  };
  const interval = pid === undefined || Number(pid) === process.pid ? Number(usec ?? 0) / 2_000 : 0;
  return {
    ready(isWell) {
      notify('READY=1');
      if (interval === 0) return () => {};
      const timer = setInterval(() => isWell() && notify('WATCHDOG=1'), interval).unref();
      return () => clearInterval(timer);
    },
    stopping: () => notify('STOPPING=1'),
  };
};
