// TS2561: Object literal may only specify known properties, but 'Titel' does not exist in type 'Album_filter'. Did you mean to write 'Title'?
import { createClient } from 'content-api-client';
import { AlbumDocument } from 'content-api-client/graphql';

const api = createClient({ url: 'http://127.0.0.1' });
void api.graphql(AlbumDocument, { filter: { Titel: { _eq: 'x' } } });
