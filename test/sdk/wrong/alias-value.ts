// TS2339: Property 'Name' does not exist on type '{ TrackId: number; }'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
const [album] = await api
  .items('Album')
  .alias({ first: 'Track' })
  .list({ fields: [{ first: ['TrackId'] }] });
void album?.first[0]?.Name;
