/** Provides new builds to a process with a supervisor: the spare process checks the schema for all of them. */
import { replaceNothing, type BuildSource } from '../reloading-service.js';
import { coalesceCalls } from '../concurrency/call-coalescing.js';
import { createServedGeneration } from './drain.js';
import type { Instruction, Report, ServeInstruction } from './messages.js';
import type { OpenedBuild } from './open-build.js';

/** Creates the source; `report` sends to the supervisor, whose messages are passed to the source. */
export const createSupervisedSource = (
  opened: OpenedBuild,
  report: (message: Report) => void,
): BuildSource => {
  let served = opened.directory;
  const generation = createServedGeneration(opened.generation);
  let failure: string | null = null;
  let replacing: Promise<void> = Promise.resolve();
  let replace = replaceNothing;
  const serve = async ({ directory, generation: next }: ServeInstruction): Promise<void> => {
    const replaced = directory === served ? null : await replace(await opened.load(directory));
    served = directory;
    generation.follow(next, replaced);
    report({ kind: 'serving', directory });
  };
  const take = (message: Instruction): void => {
    if (message.kind !== 'serve') return;
    failure = message.failure;
    replacing = replacing
      .then(() => serve(message))
      .catch((error: Error) => {
        failure = error.message;
      });
  };
  process.on('message', take);
  let id = 0;
  const check = (forced: boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      id += 1;
      const checkId = id;
      const receive = (message: Instruction): void => {
        if (message.kind !== 'checked' || message.id !== checkId) return;
        process.off('message', receive);
        if (message.failure !== null) reject(new Error(message.failure));
        else replacing.then(resolve, reject);
      };
      process.on('message', receive);
      report({ kind: 'check', id: checkId, forced });
    });
  return {
    check: coalesceCalls(check, (first, second) => first || second),
    failure: () => failure,
    generation: generation.get,
    onGeneration: generation.onChange,
    subscribe(next) {
      replace = next;
    },
    async close() {
      process.off('message', take);
      await replacing;
    },
  };
};
