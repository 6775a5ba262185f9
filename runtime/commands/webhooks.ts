/** `svc webhooks …`: manages webhooks of the queue. */
import { Command } from 'commander';
import { rotateSigningKey } from '../queue/store/secrets.js';
import { action, printLine } from './output.js';
import { withDatabase } from './with-database.js';

/** Creates `svc webhooks`. A new key pair is published at once and signs after a day, when receivers have fetched it. */
export const webhooksCommand = (): Command =>
  new Command('webhooks').description('manage the signing keys of webhooks').addCommand(rotateCommand());

const rotateCommand = (): Command =>
  new Command('rotate-key')
    .description(
      'create a key pair; it is published now and signs after 24 hours, when receivers have fetched it',
    )
    .option(
      '--at-once',
      'sign with the new key now and stop publishing the old ones, for example after a leak',
    )
    .action(
      action(async ({ atOnce = false }: { atOnce?: boolean }) => {
        await withDatabase((database) => rotateSigningKey(database, { now: Date.now(), atOnce }));
        printLine(
          atOnce
            ? 'the new key signs now; the old keys are no longer published'
            : 'the new key signs in 24 hours',
        );
        return 0;
      }),
    );
