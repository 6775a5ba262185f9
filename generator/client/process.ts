/** The process of the client step: takes one task, sends one answer. */
import type { OutputFile } from '../model/types.js';
import { makeClient, type ClientTask } from './make.js';

export type ClientReply =
  | { readonly kind: 'made'; readonly files: readonly OutputFile[] }
  | { readonly kind: 'failed'; readonly message: string };

const answer = (message: ClientReply): void => {
  process.send?.(message, () => process.exit(0));
};

// without its parent nobody waits for the files
process.once('disconnect', () => process.exit(1));
process.once('message', (task: ClientTask) => {
  makeClient(task).then(
    (files) => answer({ kind: 'made', files }),
    (error: Error) => answer({ kind: 'failed', message: error.message }),
  );
});
