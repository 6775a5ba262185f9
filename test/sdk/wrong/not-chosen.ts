// TS2339: Property 'AlbumId' does not exist on type '{ Title: string; }'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api
  .items('Album')
  .get(1, { fields: ['Title'] })
  .then((album) => album.AlbumId);
