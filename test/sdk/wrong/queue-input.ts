// TS2741: Property 'prompt' is missing in type '{ model_name: string; }' but required in type 'DemoTrainInput'
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.queue.subscribe('demo/train', { model_name: 'sea' });
