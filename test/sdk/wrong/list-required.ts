// TS2322: Property 'Title' is missing in type '{}' but required in type 'Omit<AlbumCreate, "ArtistId">'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Artist').update(1, { Album: { create: [{}] } });
