// TS2345: Argument of type '"demo/imag"' is not assignable to parameter of type 'keyof QueueModels'
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.queue.submit('demo/imag', { prompt: 'sea' });
