/** Process of the client step: receives one task, sends one reply. */
import type { OutputFile } from '../model/types.js';
import { makeClient, type ClientTask } from './make.js';

export type ClientReply =
  | { readonly kind: 'generated'; readonly files: readonly OutputFile[] }
  | { readonly kind: 'failed'; readonly message: string };

const reply = (message: ClientReply): void => {
  process.send?.(message, () => process.exit(0));
};

// if the parent exits, no one needs the files
process.once('disconnect', () => process.exit(1));
process.once('message', (task: ClientTask) => {
  makeClient(task).then(
    (files) => reply({ kind: 'generated', files }),
    (error: Error) => reply({ kind: 'failed', message: error.message }),
  );
});
