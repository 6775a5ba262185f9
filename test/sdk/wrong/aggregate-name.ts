// TS2820: Type '"Titel"' is not assignable to type 'Operand<"Album">'. Did you mean '"Title"'?
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Album').aggregate({ groupBy: ['Titel'] });
