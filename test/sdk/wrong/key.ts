// TS2345: Argument of type 'number' is not assignable to parameter of type '[PlaylistId: number, TrackId: number]'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('PlaylistTrack').get(1);
