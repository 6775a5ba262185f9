/** An SMTP server on a free port that keeps the received mails. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface Smtp {
  /** Environment (`EMAIL_…`) of a server that sends through it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Removes and returns the oldest mail to an address; waits up to 20 s for it. */
  receive(to: string): Promise<Email>;
  /** Returns the recipients of the mails that have not been removed. */
  waiting(): readonly string[];
  close(): Promise<void>;
}

interface Received {
  readonly to: string;
  readonly email: Email;
}

/** Milliseconds. */
const receiveTimeout = 20_000;

const user = 'mailer';
const password = 'smtp password';

export const startSmtp = async (): Promise<Smtp> => {
  const mails: Received[] = [];
  const server = new SMTPServer({
    logger: false,
    allowInsecureAuth: true,
    onAuth(auth, _session, done) {
      const isRight = auth.username === user && auth.password === password;
      done(isRight ? null : new Error('unknown'), { user });
    },
    onRcptTo({ address }, _session, done) {
      done(address.startsWith('refused') ? new Error(`nobody is called ${address}`) : null);
    },
    onData(stream, { envelope }, done) {
      buffer(stream)
        .then((raw) => PostalMime.parse(raw))
        .then((email) => {
          mails.push(...envelope.rcptTo.map(({ address }) => ({ to: address, email })));
          done();
        }, done);
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    environment: {
      EMAIL_FROM: 'Library <library@example.com>',
      EMAIL_SMTP_HOST: '127.0.0.1',
      EMAIL_SMTP_PORT: String((server.server.address() as AddressInfo).port),
      EMAIL_SMTP_USER: user,
      EMAIL_SMTP_PASSWORD: password,
    },
    async receive(to) {
      for (const end = Date.now() + receiveTimeout; Date.now() < end; await sleep(10)) {
        const index = mails.findIndex((mail) => mail.to === to);
        const [found] = index === -1 ? [] : mails.splice(index, 1);
        if (found !== undefined) return found.email;
      }
      throw new Error(`no mail came to ${to}`);
    },
    waiting: () => mails.map(({ to }) => to),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
};
