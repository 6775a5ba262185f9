// TS2561: Object literal may only specify known properties, but 'Trak' does not exist in type 'Deep<"Album">'. Did you mean to write 'Track'?
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Album').list({ deep: { Trak: { _limit: 1 } } });
