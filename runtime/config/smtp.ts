/** The server that sends mails. */
import type { ReadVariable } from './environment.js';

export interface SmtpConfig {
  readonly host: string;
  readonly port: number;
  readonly user: string | null;
  readonly password: string | null;
  /** Uses TLS from the start; otherwise STARTTLS when the server offers it. */
  readonly secure: boolean;
}

/** Reads the variables of the server; returns null if none is configured. */
export const readSmtp = (read: ReadVariable): SmtpConfig | null => {
  const host = read('EMAIL_SMTP_HOST');
  const secure = read('EMAIL_SMTP_SECURE');
  const port = read('EMAIL_SMTP_PORT') ?? (secure ? 465 : 587);
  const user = read('EMAIL_SMTP_USER');
  const password = read('EMAIL_SMTP_PASSWORD');
  return host === null ? null : { host, port, user, password, secure };
};
