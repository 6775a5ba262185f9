/** State that the steps of a program for the public SDK share. */
import { createDirectus, graphql, authentication, rest, staticToken } from '@directus/sdk';
import { expect } from 'vitest';

/** Input of a step: an address, credentials, and `fetch`, through which everything goes. */
export interface Surroundings {
  readonly url: string;
  readonly token: string;
  readonly fetch: typeof fetch;
  /** Notes of earlier steps, such as the keys they made. */
  readonly notes: Map<string, string>;
  /** Receives a mail, and returns the token of its link. */
  readonly tokenTo: (address: string) => Promise<string>;
}

export type Step = (surroundings: Surroundings) => Promise<void>;
// the program has no types of its own, as programs in JavaScript
// oxlint-disable-next-line no-explicit-any
export type Untyped = any;

export const connect = ({ url, fetch }: Surroundings): Untyped =>
  createDirectus<Untyped>(url, { globals: { fetch } }).with(rest()).with(graphql());

export const asAdmin = (surroundings: Surroundings): Untyped =>
  connect(surroundings).with(staticToken(surroundings.token));

export const withLogin = (surroundings: Surroundings, mode: 'json' | 'cookie' | 'session' = 'json') =>
  connect(surroundings).with(authentication(mode, { autoRefresh: false }));

export const admin = { email: 'admin@example.com', password: 'password' };

export const noted = ({ notes }: Surroundings, name: string): string => {
  const note = notes.get(name);
  if (note === undefined) throw new Error(`an earlier step made no ${name}`);
  return note;
};

export const note = ({ notes }: Surroundings, name: string, value: Untyped): void => {
  expect(value).toBeTruthy();
  notes.set(name, String(value));
};

export const account = { email: 'step@example.com', password: 'step-password-1', first_name: 'Step' };
