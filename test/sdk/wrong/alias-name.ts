// TS2322: Title is a field of Album already
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Album').alias({ Title: 'Track' });
