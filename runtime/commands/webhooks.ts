/** `svc webhooks …`: manages webhooks of the queue. */
import { Command } from 'commander';
import { rotateSigningKey } from '../queue/store/secrets.js';
import { action, printLine } from './output.js';
import { withDatabase } from './with-database.js';

export const webhooksCommand = (): Command =>
  new Command('webhooks').description('what webhooks are signed with').addCommand(rotateCommand());

const rotateCommand = (): Command =>
  new Command('rotate-key')
    .description(
      'make a new key pair; it is published now and signs after a day, when every receiver knows it',
    )
    .option('--at-once', 'the old one is known to others: serve it no more, sign with the new one now')
    .action(
      action(async ({ atOnce = false }: { atOnce?: boolean }) => {
        await withDatabase((database) => rotateSigningKey(database, { now: Date.now(), atOnce }));
        printLine(
          atOnce ? 'the new key signs; the old ones are not served any more' : 'the new key signs after 24 h',
        );
        return 0;
      }),
    );
