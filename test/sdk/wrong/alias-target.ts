// TS2820: Did you mean '"Track"'?
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Album').alias({ first: 'Trak' });
