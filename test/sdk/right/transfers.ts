/** Imports and exports: files in, files out, and lists that are read while they are sent. */
import { ApiError, QueueError, type Client } from 'content-api-client';
import { exactly } from './exactly.js';

export const run = async (api: Client) => {
  const genres = api.items('Genre');
  const csv = 'Title,Note\nsdk chant,x\nsdk madrigal,y\n';
  const mapping = { Title: 'Name', Note: null };
  const tried = await (await genres.import(csv, { mapping, dryRun: true })).wait();
  const added = await genres.import(csv, { mapping });
  const statuses = new Set<string>();
  for await (const { status } of added.stream()) statuses.add(status);
  const stored = await added.wait();
  exactly<number>()(stored.imported);

  const [chant] = await genres.list({ fields: ['GenreId'], filter: { Name: { _eq: 'sdk chant' } } });
  const rows = [{ GenreId: chant?.GenreId, Name: 'sdk motet' }, { GenreId: 'x' }].map((row) =>
    JSON.stringify(row),
  );
  const again = new Blob([rows.join('\n')], { type: 'application/x-ndjson' });
  const merged = await (await genres.import(again, { onConflict: 'update', onError: 'report' })).wait();
  await api.utils.import({
    path: { collection: 'Genre' },
    body: { file: new File(['Name\nsdk canon\n'], 'genres.csv', { type: 'text/csv' }) },
  });

  const filter = { Name: { _starts_with: 'sdk ' } };
  const stream = await genres.download('ndjson', { fields: ['Name'], filter, sort: ['Name'] });
  const text = await new Response(stream).text();
  const written = await (await genres.export('csv', { fields: ['Name'], filter, sort: ['-Name'] })).wait();
  exactly<string>()(written.file.url);

  const failed = await genres.import('GenreId,Name\nx,sdk\n');
  const refused = await failed.wait().catch((error: unknown) => error instanceof QueueError && error.status);
  const invalid = await genres
    .import('x', { format: 'csv', conflict: ['Name'] })
    .catch((error: unknown) => error instanceof ApiError && error.code);
  await genres.deleteMany({ query: { filter } });
  return [
    [tried.rows, stored, statuses.has('COMPLETED')],
    [merged.imported, merged.rejected, merged.rejected_rows?.file_name],
    text,
    [written.rows, written.file.file_name, refused, invalid],
  ];
};

export const expected = [
  [2, { imported: 2, rejected: 0, rejected_rows: null }, true],
  [1, 1, 'rejected.csv'],
  '{"Name":"sdk canon"}\n{"Name":"sdk madrigal"}\n{"Name":"sdk motet"}\n',
  [3, 'Genre.csv', 400, 'INVALID_QUERY'],
];
