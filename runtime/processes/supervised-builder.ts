/** Has builds made by the process that the supervisor keeps for all of its processes. */
import type { BuildResult, BuildTask } from './build.js';
import type { Builder } from './builder.js';
import type { Instruction, Report } from './messages.js';

/** Creates a builder that asks the supervisor for builds. */
export const createSupervisedBuilder = (report: (message: Report) => void): Builder => {
  let lastId = 0;
  return {
    build: (task: BuildTask) =>
      new Promise<BuildResult>((resolve) => {
        lastId += 1;
        const id = lastId;
        const receive = (message: Instruction): void => {
          if (message.kind !== 'built' || message.id !== id) return;
          process.off('message', receive);
          resolve(message.result);
        };
        process.on('message', receive);
        report({ kind: 'build', id, task });
      }),
  };
};
