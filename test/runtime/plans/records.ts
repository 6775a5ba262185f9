/** A shelf of records, and the people who look at it. */
import { createAccess, type Access } from '../../../runtime/access/access.js';
import type { AccessRows } from '../../../runtime/access/policies.js';
import { createRegistry, defineCollection, manyToOne, oneToMany } from '../../../contract/collection.js';
import { boolean, decimal, integer, string, text } from '../../../contract/fields.js';

/** Creates the registry of one database: what is compiled is kept with it, and differs from database to database. */
export const createRecords = () =>
  createRegistry([
    defineCollection({
      name: 'artist',
      path: '/items/artist',
      key: ['id'],
      fields: {
        id: integer({ auto: true }),
        name: string({ length: 60, required: true }),
        country: string({ length: 2, nullable: true }),
        mentor: integer({ nullable: true }),
      },
      relations: {
        mentor: manyToOne('artist', ['mentor'], ['id']),
        pupils: oneToMany('artist', ['mentor'], ['id']),
        albums: oneToMany('album', ['artist'], ['id'], { listed: true }),
      },
    }),
    defineCollection({
      name: 'album',
      path: '/items/album',
      sortField: 'title',
      key: ['id'],
      fields: {
        id: integer({ auto: true }),
        title: string({ length: 80, required: true }),
        year: integer({ nullable: true }),
        price: decimal({ precision: 6, scale: 2, default: '9.99' }),
        published: boolean({ default: false }),
        artist: integer({ nullable: true }),
      },
      relations: {
        artist: manyToOne('artist', ['artist'], ['id']),
        tracks: oneToMany('track', ['album'], ['id'], { sortField: 'place' }),
        labels: oneToMany('album_label', ['album'], ['id'], {
          junctionField: 'label',
          sortField: 'position',
        }),
      },
    }),
    defineCollection({
      name: 'track',
      path: '/items/track',
      key: ['album', 'place'],
      fields: {
        album: integer({ required: true }),
        place: integer({ required: true }),
        title: string({ length: 80, required: true }),
        seconds: integer({ nullable: true }),
      },
      relations: { album: manyToOne('album', ['album'], ['id']) },
    }),
    defineCollection({
      name: 'label',
      path: '/items/label',
      key: ['code'],
      fields: { code: string({ length: 20, required: true }), note: text({ nullable: true }) },
      relations: { albums: oneToMany('album_label', ['label'], ['code'], { junctionField: 'album' }) },
    }),
    defineCollection({
      name: 'album_label',
      path: '/items/album_label',
      key: ['album', 'label'],
      fields: {
        album: integer({ required: true }),
        label: string({ length: 20, required: true }),
        position: integer({ nullable: true }),
      },
      relations: {
        album: manyToOne('album', ['album'], ['id']),
        label: manyToOne('label', ['label'], ['code']),
      },
    }),
  ]);

type PermissionRow = AccessRows['permissions'][number];

const may = (
  policy: string,
  action: string,
  collection: string,
  options: Partial<PermissionRow> = {},
): PermissionRow => ({
  policy,
  action,
  collection,
  permissions: null,
  validation: null,
  presets: null,
  fields: ['*'],
  ...options,
});

/**
 * `reader` sees published albums and their artists; `critic` is a reader who sees prices of albums from before 1850;
 * `namer` is a reader who sees titles of everything, and keys of no more than a reader;
 * `editor` writes what is not published, and artists who teach nobody.
 */
const rows: AccessRows = {
  version: '1',
  roles: [],
  policies: ['reading', 'pricing', 'editing', 'naming']
    .map((id) => ({ id, admin: false }))
    .concat({ id: 'everything', admin: true }),
  access: [
    { policy: 'everything', role: null, user: 'admin' },
    { policy: 'reading', role: null, user: 'reader' },
    { policy: 'reading', role: null, user: 'critic' },
    { policy: 'pricing', role: null, user: 'critic' },
    { policy: 'editing', role: null, user: 'editor' },
    { policy: 'reading', role: null, user: 'namer' },
    { policy: 'naming', role: null, user: 'namer' },
  ],
  permissions: [
    may('reading', 'read', 'album', {
      permissions: { published: { _eq: true } },
      fields: ['id', 'title', 'year', 'artist', 'tracks'],
    }),
    may('reading', 'read', 'artist', { permissions: { albums: { _some: { published: { _eq: true } } } } }),
    may('reading', 'read', 'track', { permissions: { album: { published: { _eq: true } } } }),
    may('pricing', 'read', 'album', { permissions: { year: { _lt: 1850 } }, fields: ['id', 'price'] }),
    may('naming', 'read', 'album', { fields: ['title', 'tracks'] }),
    may('naming', 'read', 'track', { fields: ['title'] }),
    ...['create', 'read', 'update', 'delete'].map((action) =>
      may(
        'editing',
        action,
        'album',
        action === 'create' ? {} : { permissions: { published: { _eq: false } } },
      ),
    ),
    may('editing', 'read', 'artist'),
    may('editing', 'update', 'artist', {
      permissions: { pupils: { _null: true } },
      fields: ['name', 'country'],
    }),
  ],
};

/** Names are tokens; nobody else is anybody. */
export const openAccess = (): Access =>
  createAccess({
    loadRows: async () => rows,
    readVersion: async () => rows.version,
    findHolder: async (token) => ({
      user: { id: token, role: null, status: 'active', columns: {} },
      session: null,
      credentialDigest: '',
      expires: Number.POSITIVE_INFINITY,
    }),
  });
