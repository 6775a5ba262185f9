/**
 * The queue at addresses of its own (`QUEUE_URL`, `RUN_URL`): their paths become those of this server. Those that are
 * so already stay, as the OpenAPI document has one path for every address.
 */
import type { ApiRequest } from '../../request/api-request.js';

export interface QueueAddresses {
  readonly queueUrl: string | null;
  readonly runUrl: string | null;
}

interface Place {
  readonly host: string;
  /** What comes before everything there; empty at the root. */
  readonly from: string;
  readonly to: string;
}

/** `null`: there are none. Other requests come out as they went in. */
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
