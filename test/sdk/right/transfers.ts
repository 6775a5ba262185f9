/** Imports and exports: files in, files out, and lists that are read while they are sent. */
import { ApiError, QueueError, type Client } from 'content-api-client';
import { exactly } from './exactly.js';

export const run = async (api: Client) => {
  const genres = api.items('Genre');
  const csv = 'Id,Title,Note\n901,Chant,x\n902,Madrigal,y\n';
  const mapping = { Id: 'GenreId', Title: 'Name', Note: null };
  const tried = await (await genres.import(csv, { mapping, dryRun: true })).wait();
  const added = await genres.import(csv, { mapping });
  const statuses = new Set<string>();
  for await (const { status } of added.stream()) statuses.add(status);
  const stored = await added.wait();
  exactly<number>()(stored.imported);

  const again = new Blob(['{"GenreId":902,"Name":"Motet"}\n{"GenreId":"x"}\n'], {
    type: 'application/x-ndjson',
  });
  const merged = await (await genres.import(again, { onConflict: 'update', onError: 'report' })).wait();
  await api.utils.import({
    path: { collection: 'Genre' },
    body: { file: new File(['GenreId,Name\n903,Canon\n'], 'genres.csv', { type: 'text/csv' }) },
  });

  const filter = { GenreId: { _gt: 900 } };
  const stream = await genres.download('ndjson', { fields: ['GenreId', 'Name'], filter, sort: ['GenreId'] });
  const text = await new Response(stream).text();
  const written = await (await genres.export('csv', { fields: ['Name'], filter, sort: ['-Name'] })).wait();
  exactly<string>()(written.file.url);

  const failed = await genres.import('GenreId,Name\n901,Chant\n');
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
  '{"GenreId":901,"Name":"Chant"}\n{"GenreId":902,"Name":"Motet"}\n{"GenreId":903,"Name":"Canon"}\n',
  [3, 'Genre.csv', 400, 'INVALID_QUERY'],
];
