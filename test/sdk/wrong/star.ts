// TS2322: Type '"ArtistId.*.nope"' is not assignable to type '"Artist has no field nope"'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Album').list({ fields: ['ArtistId.*.nope'] });
