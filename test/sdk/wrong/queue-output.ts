// TS2339: Property 'pictures' does not exist on type 'DemoImageOutput'
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
export const picture = (await api.queue.run('demo/image', { prompt: 'sea' })).pictures;
