// TS2353: Object literal may only specify known properties, and ''sum(Invoice)'' does not exist in type 'EmployeeFilter'
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Employee').list({ filter: { 'sum(Invoice)': { _gt: 1 } } });
