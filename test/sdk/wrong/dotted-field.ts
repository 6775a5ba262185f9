// TS2322: Type '"ArtistId.Nmae"' is not assignable to type '"Artist has no field Nmae"'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Album').list({ fields: ['Title', 'ArtistId.Nmae'] });
