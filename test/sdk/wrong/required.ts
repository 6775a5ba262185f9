// TS2741: Property 'ArtistId' is missing in type '{ Title: string; }' but required in type 'AlbumCreate'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Album').create({ Title: 'x' });
