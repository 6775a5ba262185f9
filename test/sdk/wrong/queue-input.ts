// TS2345: Argument of type '{ model_name: string; }' is not assignable to parameter of type 'DemoTrainInput'
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.queue.subscribe('demo/train', { model_name: 'sea' });
