/** Documents that come with the client know their types; texts are told theirs. */
import { ApiError, type Client } from 'content-api-client';
import {
  AlbumDocument,
  create_Genre_itemDocument,
  delete_Genre_itemDocument,
} from 'content-api-client/graphql';
import { usersDocument } from 'content-api-client/graphql/system';
import { exactly } from './exactly.js';

export const run = async (api: Client) => {
  const { Album } = await api.graphql(AlbumDocument, {
    filter: { Title: { _starts_with: 'Let' } },
    limit: 1,
  });
  exactly<string>()(Album?.[0]?.Title ?? '');
  const made = await api.graphql(create_Genre_itemDocument, { data: { Name: 'sdk graphql' } });
  const id = made.create_Genre_item?.GenreId ?? '';
  await api.graphql(delete_Genre_itemDocument, { id });
  const { users } = await api.graphql(usersDocument);
  const text = await api.graphql<{ Artist_by_id: { Name: string } }>(
    'query ($id: ID!) { Artist_by_id(id: $id) { Name } }',
    { id: 1 },
  );
  const refused = await api.graphql('{ Nothing { id } }').catch((error: unknown) => error);
  return [
    Album,
    (users ?? []).length > 0,
    text,
    refused instanceof ApiError && [refused.code, refused.status],
  ];
};

export const expected = [
  [{ AlbumId: '4', Title: 'Let There Be Rock', ArtistId: { ArtistId: '1' } }],
  true,
  { Artist_by_id: { Name: 'AC/DC' } },
  ['GRAPHQL_VALIDATION', 400],
];
