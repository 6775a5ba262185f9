// TS2322: Type '"replace"' is not assignable to type '"ignore" | "update" | undefined'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Genre').create({ Name: 'x' }, { onConflict: 'replace' });
