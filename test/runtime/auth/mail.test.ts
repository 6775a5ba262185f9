/** Mails from templates, sent by a real server. */
import { afterAll, expect, it } from 'vitest';
import { createMailer } from '../../../runtime/auth/mail.js';
import { loadConfig } from '../../../runtime/config/config.js';
import { startSmtp } from '../../services/smtp.js';

const smtp = await startSmtp();
afterAll(() => smtp.close());

const send = createMailer(loadConfig({ DATABASE_URL: 'sqlite:unused', ...smtp.environment }).mail);
const mail = { to: 'ann@example.com', template: 'invitation' };

it('has the values in its subject, its text and its page', async () => {
  await send?.({ ...mail, values: { site: 'A & B', link: 'https://a.example/?b&c', expires: '1 day' } });
  const { subject, text, html } = await smtp.receive(mail.to);
  expect(subject).toBe('An account at A & B');
  expect(text).toContain('https://a.example/?b&c');
  expect(html).toContain('https://a.example/?b&amp;c');
});

it('is not sent where a value of its template is missing', async () => {
  await expect(send?.({ ...mail, values: { site: 'A' } })).rejects.toThrow('undefined variable: link');
  expect(smtp.waiting()).toEqual([]);
});

it('names no recipient in an error', async () => {
  const values = { site: 'A', link: 'https://a.example', expires: '1 day' };
  await expect(send?.({ ...mail, to: 'refused@example.com', values })).rejects.toThrow(
    /^the SMTP server rejected the mail \(EENVELOPE 550\)$/,
  );
});
