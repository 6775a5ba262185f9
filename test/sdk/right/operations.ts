/** Operations are beside `items`; system collections are used like others. */
import type { Client } from 'content-api-client';
import { exactly } from './exactly.js';

export const run = async (api: Client) => {
  const pong = await api.server.ping();
  exactly<'pong'>()(pong);
  const health = await api.server.health();
  const users = await api.items('svc_users').list({ fields: ['email', { role: ['name'] }] });
  return [pong, health.status, users.length > 0];
};

export const expected = ['pong', 'ok', true];
