/** Requests to an instance that runs elsewhere. */
import { Option } from 'commander';
import { Refusal } from '../config/refusal.js';

export interface RemoteFlags {
  readonly url?: string;
  readonly token?: string;
}

/** Creates `--url`, new for each command, as Commander wants it. */
export const urlOption = (): Option =>
  new Option('--url <url>', 'a running instance, instead of the database of DATABASE_URL');

/** Creates `--token`, whose value may come from `SVC_TOKEN`, so that it is in no list of processes. */
export const tokenOption = (owner: string): Option =>
  new Option('--token <token>', `token of ${owner} there`).env('SVC_TOKEN');

export interface Remote {
  /**
   * Sends a request with the token, to a path or to a URL that the instance returned.
   * @throws Refusal when it cannot be reached
   */
  send(target: string, init?: RequestInit): Promise<Response>;
  /** Returns the refusal of a command for a failed response, with the reasons that it gives. */
  toRefusal(response: Response): Promise<Refusal>;
}

interface ErrorBody {
  readonly errors?: readonly { readonly message: string }[];
  readonly detail?: unknown;
}

/**
 * Creates the client of an instance.
 * @param owner whose token the instance requires
 * @throws Refusal when `url` is no URL
 */
export const createRemote = (url: string, token: string | undefined, owner: string): Remote => {
  const base = url.endsWith('/') ? url : `${url}/`;
  if (!URL.canParse(base)) throw new Refusal(`--url ${url} is no URL; write one such as https://example.com`);
  return {
    async send(target, init = {}) {
      const headers = {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(init.headers as Readonly<Record<string, string>> | undefined),
      };
      return fetch(new URL(target, base), { ...init, headers }).catch((error: unknown) => {
        if (init.signal?.aborted === true) throw error;
        throw new Refusal(`${base} cannot be reached: ${reasonOf(error)}`);
      });
    },
    async toRefusal(response) {
      const { errors, detail } = (await response.json().catch(() => ({}))) as ErrorBody;
      const reasons = errors?.map(({ message }) => message) ?? (typeof detail === 'string' ? [detail] : []);
      const rights = response.status === 401 || response.status === 403 ? [`send --token of ${owner}`] : [];
      return new Refusal([`${base} responded with ${response.status}`, ...reasons, ...rights].join('\n'));
    },
  };
};

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
};
