/**
 * Maps paths below `QUEUE_URL` and `RUN_URL` to the paths of this server. Paths that already have the prefix
 * stay, as the OpenAPI document has one path for every address.
 */
import type { ApiRequest } from '../../request/api-request.js';

/** Addresses under which the queue is also served; `null` where there is none. */
export interface QueueAddresses {
  readonly queueUrl: string | null;
  readonly runUrl: string | null;
}

interface AddressMapping {
  readonly host: string;
  /** Path prefix of the address; empty at the root. */
  readonly from: string;
  readonly to: string;
}

/** Returns a function that rewrites matching requests, or null if neither address is set. */
export const createPathMapper = ({
  queueUrl,
  runUrl,
}: QueueAddresses): ((request: ApiRequest) => ApiRequest) | null => {
  const mappings = [...mappingOf(queueUrl, '/queue'), ...mappingOf(runUrl, '/run')];
  if (mappings.length === 0) return null;
  return (request) => {
    const { headers, path } = request;
    const found = mappings.find(({ host, from }) => headers.host === host && path.startsWith(`${from}/`));
    return found === undefined ? request : { ...request, path: rewritePath(found, path) };
  };
};

const rewritePath = ({ from, to }: AddressMapping, path: string): string => {
  const rest = path.slice(from.length);
  return rest.startsWith(`${to}/`) ? rest : to + rest;
};

const mappingOf = (url: string | null, to: string): readonly AddressMapping[] => {
  if (url === null) return [];
  const { host, pathname } = new URL(url);
  return [{ host, from: pathname.replace(/\/$/, ''), to }];
};
