/**
 * Maps paths below `QUEUE_URL` and `RUN_URL` to the paths of this server. Paths that already have the prefix
 * stay, as the OpenAPI document has one path for every address.
 */
import type { ApiRequest } from '../../request/api-request.js';

export interface QueueAddresses {
  readonly queueUrl: string | null;
  readonly runUrl: string | null;
}

interface Place {
  readonly host: string;
  /** Path prefix of the address; empty at the root. */
  readonly from: string;
  readonly to: string;
}

/** Returns a function that rewrites matching requests, or null if neither address is set. */
export const createRelocation = ({
  queueUrl,
  runUrl,
}: QueueAddresses): ((request: ApiRequest) => ApiRequest) | null => {
  const places = [...placeOf(queueUrl, '/queue'), ...placeOf(runUrl, '/run')];
  if (places.length === 0) return null;
  return (request) => {
    const { headers, path } = request;
    const found = places.find(({ host, from }) => headers.host === host && path.startsWith(`${from}/`));
    return found === undefined ? request : { ...request, path: pathIn(found, path) };
  };
};

const pathIn = ({ from, to }: Place, path: string): string => {
  const rest = path.slice(from.length);
  return rest.startsWith(`${to}/`) ? rest : to + rest;
};

const placeOf = (url: string | null, to: string): readonly Place[] => {
  if (url === null) return [];
  const { host, pathname } = new URL(url);
  return [{ host, from: pathname.replace(/\/$/, ''), to }];
};
