/** Many-to-any relations, with exact types: a union by collection where the field that names it is selected. */
import type { Client } from 'content-api-client';
import { exactly } from './exactly.js';

type Flat<Type> = { [Key in keyof Type]: Type[Key] };

export const run = async (api: Client) => {
  const blocks = api.items('block');
  const [page] = await api.items('page').list({
    fields: [
      'title',
      { blocks: ['kind', { 'item:heading': ['text'], 'item:quote': ['code', { speaker: ['name'] }] }] },
    ],
    filter: { blocks: { _some: { 'item:quote': { text: { _starts_with: 'Be' } } } } },
    deep: { blocks: { 'item:heading': { _filter: { text: { _neq: 'About' } } } } },
  });
  type Block =
    | { kind: 'heading'; item: { text: string | null } | null }
    | { kind: 'quote'; item: { code: string; speaker: { name: string } | null } | null }
    | { kind: null; item: null };
  exactly<{ title: string | null; blocks: Block[] } | undefined>()(page);
  const speakers = page?.blocks.map((block) =>
    block.kind === 'quote' ? block.item?.speaker?.name : block.kind,
  );

  const paths = await blocks.list({ fields: ['id', 'item:heading.text'], sort: ['id'] });
  exactly<{ id: number; item: { text: string | null } | string | null }[]>()(paths);

  const shared = await blocks.list({
    fields: ['item.text'],
    filter: { item: { text: { _in: ['Be yourself', 'About'] } } },
    sort: ['-item:quote.text'],
  });
  exactly<{ item: { text: string | null } | null }[]>()(shared);

  const [whole] = await blocks.list({
    fields: ['*', 'item:quote.*', 'item:quote.speaker.name'],
    filter: { 'item:quote': { speaker: { name: { _eq: 'Oscar' } } } },
  });
  interface Row {
    id: number;
    page: number | null;
    sort: number | null;
  }
  exactly<
    | Flat<Row & { kind: 'heading'; item: number | null }>
    | Flat<
        Row & {
          kind: 'quote';
          item: { code: string; text: string | null; speaker: { name: string } | null } | null;
        }
      >
    | Flat<Row & { kind: null; item: null }>
    | undefined
  >()(whole);

  const keys = await blocks.list({ fields: ['item'], filter: { item: { _eq: 'wilde' } } });
  exactly<{ item: string | null }[]>()(keys);

  const [where] = await blocks
    .alias({ where: 'page' })
    .list({ fields: ['where.title', 'kind', 'item:heading.id'], limit: 1, sort: ['sort'] });
  exactly<
    | { where: { title: string | null } | null; kind: 'heading'; item: { id: number } | null }
    | { where: { title: string | null } | null; kind: 'quote'; item: string | null }
    | { where: { title: string | null } | null; kind: null; item: null }
    | undefined
  >()(where);
  const made = await api.items('page').create(
    {
      title: 'Written',
      blocks: [
        { kind: 'heading', item: { text: 'Made' } },
        { 'item:quote': { code: 'byron', text: 'Made', speaker: { name: 'George' } } },
        { 'item:quote': 'wilde' },
      ],
    },
    { fields: ['id', { blocks: ['id', 'kind', { item: ['text'] }] }] },
  );
  const written = made.blocks.map((block) => (block.kind === 'quote' ? block.item?.text : block.kind));
  const [third] = made.blocks.slice(2);
  if (third !== undefined)
    await blocks.update(third.id, { 'item:quote': { code: 'byron', text: 'Changed' } });
  const changed = await api.items('quote').get('byron', { fields: ['text', 'speaker.name'] });
  await blocks.deleteMany(made.blocks.map(({ id }) => id));
  await api.items('page').delete(made.id);

  const tickets = api.items('ticket');
  const ticket = await tickets.create(
    { seat: { block: 'A', place: 1, label: 'front' } },
    { fields: ['id', { seat: ['label'] }] },
  );
  exactly<{ id: number; seat: { label: string } | null }>()(ticket);
  const left = await tickets.update(ticket.id, { seat: null }, { fields: ['seat_block', 'seat_place'] });
  await tickets.delete(ticket.id);
  await api.items('seat').delete(['A', 1]);
  return {
    written,
    changed,
    page,
    speakers,
    paths,
    shared,
    quote: whole?.item,
    keys,
    where,
    seat: ticket.seat,
    left,
  };
};

export const expected = {
  written: ['heading', 'Made', 'Be yourself'],
  changed: { text: 'Changed', speaker: { name: 'George' } },
  page: {
    title: 'Home',
    blocks: [
      { kind: 'heading', item: { text: 'Welcome' } },
      { kind: 'quote', item: { code: 'wilde', speaker: { name: 'Oscar' } } },
      { kind: null, item: null },
      { kind: 'heading', item: null },
    ],
  },
  speakers: ['heading', 'Oscar', null, 'heading'],
  paths: [
    { id: 1, item: { text: 'Welcome' } },
    { id: 2, item: 'wilde' },
    { id: 3, item: null },
    { id: 4, item: { text: 'About' } },
  ],
  shared: [{ item: { text: 'Be yourself' } }, { item: { text: 'About' } }],
  quote: { code: 'wilde', text: 'Be yourself', speaker: { name: 'Oscar' } },
  keys: [{ item: 'wilde' }],
  seat: { label: 'front' },
  left: { seat_block: null, seat_place: null },
  where: { where: { title: 'Home' }, kind: 'heading', item: { id: 7 } },
};
