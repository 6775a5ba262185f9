// TS2353: 'Nmae' does not exist in type
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Album').create({ Title: 'x', ArtistId: { Nmae: 'y' } });
