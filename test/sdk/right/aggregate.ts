/** Counts, sums and groups, with exact types. */
import type { Client } from 'content-api-client';
import { exactly } from './exactly.js';

export const run = async (api: Client) => {
  const tracks = api.items('Track');
  const [all] = await tracks.aggregate({
    aggregate: { count: ['*'], max: ['Milliseconds'], sum: ['UnitPrice'] },
    filter: { TrackId: { _lte: 3503 } },
  });
  if (all !== undefined) {
    exactly<number>()(all.count);
    exactly<{ Milliseconds: number | null }>()(all.max);
    exactly<{ UnitPrice: string | null }>()(all.sum);
  }
  const groups = await tracks.aggregate({
    aggregate: { count: ['*', 'Composer'] },
    groupBy: ['GenreId', 'AlbumId.ArtistId.Name'],
    having: { count: { '*': { _gt: 100 } } },
    filter: { Milliseconds: { _gt: 200_000 } },
    sort: ['-count', 'GenreId'],
    limit: 1,
  });
  const [first] = groups;
  if (first !== undefined) {
    exactly<number | null>()(first.GenreId);
    exactly<{ '*': number; Composer: number }>()(first.count);
  }
  const years = await api.items('Invoice').aggregate({
    groupBy: ['year(InvoiceDate)'],
    aggregate: { countDistinct: ['CustomerId'] },
    limit: 2,
  });
  exactly<number | null | undefined>()(years[0]?.InvoiceDate_year);
  const busy = await api.items('Invoice').aggregate({
    groupBy: ['year(InvoiceDate)', 'BillingCountry'],
    aggregate: { sum: ['Total'] },
    having: {
      sum: { Total: { _gt: 30 } },
      max: { InvoiceDate: { _lt: '$NOW' } },
      _or: [{ BillingCountry: { _eq: 'Canada' } }, { BillingCountry: 'France' }],
      InvoiceDate_year: { _nnull: true },
      count: { _gte: 1 },
    },
    sort: ['BillingCountry', '-sum.Total', 'year(InvoiceDate)', 'countDistinct.CustomerId.LastName'],
    limit: 1,
  });
  return [busy[0]?.BillingCountry, all, Object.keys(first ?? {}).sort(), years.length];
};

export const expected = [
  'Canada',
  { count: 3503, max: { Milliseconds: 5286953 }, sum: { UnitPrice: '3680.97' } },
  ['AlbumId.ArtistId.Name', 'GenreId', 'count'],
  2,
];
