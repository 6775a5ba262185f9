/** Sends mails by SMTP from Liquid templates. A template in the project's `mail/` replaces the package's. */
import { join } from 'node:path';
import type { Liquid } from 'liquidjs';
import type { Transporter } from 'nodemailer';
import type { Config } from '../config/config.js';
import type { SmtpConfig } from '../config/smtp.js';
import { isLocalHost } from '../config/formats.js';
import { lazy } from '../concurrency/lazy.js';
import { packageRoot } from '../config/package.js';

export interface Mail {
  readonly to: string;
  /** Name of the templates `<template>.text.liquid`, which starts with the subject, and `<template>.html.liquid`. */
  readonly template: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Sends a mail. @throws Error whose message contains neither the address nor the content */
export type SendMail = (mail: Mail) => Promise<void>;

/** Creates the mailer, or returns null if no SMTP server is configured. */
export const createMailer = ({ from, smtp }: Config['mail']): SendMail | null => {
  if (smtp === null) return null;
  const transport = lazy(() => openTransport(smtp));
  const render = lazy(openTemplates);
  return async ({ to, template, values }) => {
    const content = await (await render())(template, values);
    await (
      await transport()
    )
      .sendMail({ from, to: { name: '', address: to }, ...content })
      .catch(throwWithoutAddress);
  };
};

const openTransport = async (smtp: SmtpConfig): Promise<Transporter> => {
  const { createTransport } = await import('nodemailer');
  const { host, port, user, password, secure } = smtp;
  return createTransport({
    host,
    port,
    secure,
    // a relay on localhost has no certificate, or one for another name
    ignoreTLS: isLocalHost(host),
    ...(user !== null && { auth: { user, pass: password ?? '' } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
};

/** Throws an error with only the codes of an SMTP error, because SMTP servers repeat the address in their texts. */
const throwWithoutAddress = (error: unknown): never => {
  const { code = 'unknown', responseCode = '' } = error as { code?: string; responseCode?: number };
  throw new Error(`the SMTP server rejected the mail (${[code, responseCode].join(' ').trim()})`);
};

interface Content {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const openTemplates = async () => {
  const { Liquid: Engine } = await import('liquidjs');
  const options = {
    root: ['mail', join(packageRoot, 'mail')],
    ownPropertyOnly: true,
    strictVariables: true,
    renderLimit: 1_000,
    memoryLimit: 1_000_000,
  };
  const text: Liquid = new Engine(options);
  const html: Liquid = new Engine({ ...options, outputEscape: 'escape' });
  return async (template: string, values: Mail['values']): Promise<Content> => ({
    ...splitSubject(String(await text.renderFile(`${template}.text.liquid`, values))),
    html: String(await html.renderFile(`${template}.html.liquid`, values)),
  });
};

const splitSubject = (rendered: string): Pick<Content, 'subject' | 'text'> => {
  const [, subject, text] = /^Subject: *(.*)\r?\n\s*\n([^]*)$/.exec(rendered) ?? [];
  if (subject === undefined || text === undefined)
    throw new Error('a text template must start with "Subject: …" and an empty line');
  return { subject, text };
};
