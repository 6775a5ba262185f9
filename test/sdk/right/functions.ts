/** Functions in fields, filters, order and groups, with exact types. */
import type { Client } from 'content-api-client';
import { exactly } from './exactly.js';

export const run = async (api: Client) => {
  const albums = await api.items('Album').list({
    fields: ['Title', 'count(Track)', { ArtistId: ['count(Album)'] }, 'ArtistId.Name'],
    filter: { 'count(Track)': { _gt: 30 }, _or: [{ 'count(Track)': { _gt: 50 } }] },
    sort: ['-count(Track)'],
    limit: 1,
  });
  exactly<{ Title: string; Track_count: number; ArtistId: { Album_count: number; Name: string | null } }[]>()(
    albums,
  );
  const [invoice] = await api.items('Invoice').list({
    fields: ['InvoiceId', 'year(InvoiceDate)', 'hour(InvoiceDate)'],
    filter: { 'year(InvoiceDate)': { _eq: 2010 } },
    limit: 0,
  });
  exactly<
    { InvoiceId: number; InvoiceDate_year: number | null; InvoiceDate_hour: number | null } | undefined
  >()(invoice);
  const [customer] = await api.items('Customer').list({
    fields: ['CustomerId', { Invoice: ['year(InvoiceDate)'] }],
    deep: {
      Invoice: { _filter: { 'count(InvoiceLine)': { _gte: 1 } }, _sort: ['-year(InvoiceDate)'], _limit: 1 },
    },
    filter: { Invoice: { _some: { 'month(InvoiceDate)': { _lte: 12 } } } },
    sort: ['SupportRepId.year(BirthDate)', 'CustomerId'],
    limit: 1,
  });
  exactly<{ CustomerId: number; Invoice: { InvoiceDate_year: number | null }[] } | undefined>()(customer);
  const [panel] = await api.items('svc_panels').list({
    fields: ['json(options, style.colors[0].name)', 'count(options)', 'year(date_created)'],
    filter: { 'json(options, zoom)': { _gt: 5 }, options: { _json: { zoom: { _lt: 9 } } } },
    sort: ['-json(options, zoom)'],
    limit: 1,
  });
  exactly<
    | {
        options_style_colors_0_name_json: unknown;
        options_count: number | null;
        date_created_year: number | null;
      }
    | undefined
  >()(panel);
  const years = await api.items('Invoice').aggregate({
    groupBy: ['year(InvoiceDate)'],
    aggregate: { count: ['*'] },
    limit: 1,
  });
  exactly<{ InvoiceDate_year: number | null; count: number }[]>()(
    years.map(({ InvoiceDate_year, count }) => ({ InvoiceDate_year, count })),
  );
  return [albums, invoice ?? null, customer?.Invoice.length, panel ?? null, years.length];
};

export const expected = [
  [{ Title: 'Greatest Hits', Track_count: 57, ArtistId: { Album_count: 1, Name: 'Lenny Kravitz' } }],
  null,
  1,
  null,
  1,
];
