/** One question to a forked process: what generator and runtime leave to a process of its own. */
import type { ChildProcess, Serializable } from 'node:child_process';

/**
 * Sends a task to a forked process and returns the next message it sends. The process may be asked again.
 * @param name what the error calls the process: `the build`
 * @throws Error when the process ends, or takes no message, before it has replied
 */
export const askChild = <Reply>(child: ChildProcess, task: Serializable, name: string): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      stopListening();
      reject(error);
    };
    const receive = (reply: Reply): void => {
      stopListening();
      resolve(reply);
    };
    const end = (code: number | null, signal: NodeJS.Signals | null): void =>
      fail(new Error(`${name} ended early (${signal ?? `exit code ${code}`})`));
    const stopListening = (): void => {
      child.off('message', receive).off('exit', end).off('error', fail);
    };
    child.once('message', receive).once('exit', end).once('error', fail);
    child.send(task, (error) => {
      if (error !== null) fail(error);
    });
  });
