// TS2561: Object literal may only specify known properties, but 'Titel' does not exist in type 'ChangedItem<"Album"> | NewItem<"Album", "ArtistId">'. Did you mean to write 'Title'?
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Artist').create({ Name: 'x', Album: [{ Titel: 'y' }] });
