// TS2339: Property 'code' does not exist on type '{ text: string | null; }'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
const [block] = await api.items('block').list({ fields: ['kind', 'item:heading.text', 'item:quote.code'] });
if (block?.kind === 'heading') void block.item?.code;
