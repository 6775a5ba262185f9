/** Mails: Liquid templates, sent by SMTP. A project's own `mail/` comes before that of the package. */
import { join } from 'node:path';
import type { Liquid } from 'liquidjs';
import type { Transporter } from 'nodemailer';
import type { Config, SmtpConfig } from '../config/config.js';
import { isLocalHost } from '../config/formats.js';
import { lazy } from '../concurrency/lazy.js';
import { packageRoot } from '../config/package.js';

export interface Mail {
  readonly to: string;
  /** `<template>.text.liquid`, which begins with the subject, and `<template>.html.liquid`. */
  readonly template: string;
  readonly values: Readonly<Record<string, string>>;
}

/** @throws Error without address and content */
export type SendMail = (mail: Mail) => Promise<void>;

/** `null`: there is no server to send by. */
export const createMailer = ({ from, smtp }: Config['mail']): SendMail | null => {
  if (smtp === null) return null;
  const transport = lazy(() => openTransport(smtp));
  const render = lazy(openTemplates);
  return async ({ to, template, values }) => {
    const content = await (await render())(template, values);
    await (await transport()).sendMail({ from, to: { name: '', address: to }, ...content }).catch(hideMail);
  };
};

const openTransport = async (smtp: SmtpConfig): Promise<Transporter> => {
  const { createTransport } = await import('nodemailer');
  const { host, port, user, password, secure } = smtp;
  return createTransport({
    host,
    port,
    secure,
    // a relay on this machine has a certificate for another name, if any
    ignoreTLS: isLocalHost(host),
    ...(user !== null && { auth: { user, pass: password ?? '' } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
};

/** Servers repeat the address in what they say: only the code is kept. */
const hideMail = (error: unknown): never => {
  const { code = 'unknown', responseCode = '' } = error as { code?: string; responseCode?: number };
  throw new Error(`the SMTP server did not take it (${[code, responseCode].join(' ').trim()})`);
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
    throw new Error('a text template begins with "Subject: …" and an empty line');
  return { subject, text };
};
