/** Runs a task of the generator or the runtime in a forked process. */
import type { ChildProcess, Serializable } from 'node:child_process';

/**
 * Sends a task to a forked process and returns its next message. The process can be used again.
 * @param name name of the process in errors, such as `the build`
 * @throws Error when the process ends or rejects the message before it has replied
 */
export const runInChild = <Reply>(child: ChildProcess, task: Serializable, name: string): Promise<Reply> =>
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
