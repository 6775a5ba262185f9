/** Errors have codes, and tell more by code; calls can be given up. */
import { ApiError, createClient, type Client, type ErrorCode } from 'content-api-client';
import { exactly } from './exactly.js';

const failureOf = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ApiError)) return (error as Error).name;
    exactly<ErrorCode | 'UNKNOWN'>()(error.code);
    const fields = error.errors.map(({ extensions }) =>
      extensions.code === 'FAILED_VALIDATION' ? extensions.field : undefined,
    );
    return [error.code, error.status, fields];
  }
};

export const run = async (api: Client, url: string) => {
  const stranger = createClient({ url });
  const changing = createClient({ url, token: () => Promise.resolve('wrong') });
  const wrong = { Title: 3, ArtistId: 'x' } as unknown as { Title: string; ArtistId: number };
  const filter = { Name: { _eq: undefined as unknown as string } };
  const both = { keys: [9999], query: {} } as unknown as { keys: number[] };
  return [
    await failureOf(stranger.items('Album').list()),
    await failureOf(changing.items('Album').list()),
    await failureOf(api.items('Album').create(wrong)),
    await failureOf(api.items('Album').list({}, { signal: AbortSignal.abort() })),
    await failureOf(api.items('Genre').deleteMany({ query: { filter } })),
    await failureOf(api.items('Genre').deleteMany(both)),
    await failureOf(api.items('Genre').updateMany({ ...both, data: {} })),
    await failureOf(
      createClient({ url: `${url}/nowhere` })
        .items('Album')
        .list(),
    ),
  ];
};

export const expected = [
  ['FORBIDDEN', 403, [undefined]],
  ['INVALID_CREDENTIALS', 401, [undefined]],
  ['FAILED_VALIDATION', 400, ['Title', 'ArtistId']],
  'AbortError',
  'TypeError',
  'TypeError',
  'TypeError',
  ['ROUTE_NOT_FOUND', 404, [undefined]],
];
