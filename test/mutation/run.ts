/**
 * Mutates the code of each room and fails where its tests notice too few of the mutations.
 * `npm run test:mutation -- sql runtime/sql/key.ts:10-20` tries one room, and in it one file or range of lines.
 */
import { Stryker } from '@stryker-mutator/core';
import { rooms } from './rooms.js';

const [wanted, ...files] = process.argv.slice(2);
const chosen = Object.entries(rooms).filter(([name]) => wanted === undefined || wanted === name);
if (chosen.length === 0) throw new Error(`there is no room "${wanted}"`);

for (const [name, room] of chosen) {
  process.env.MUTATION_ROOM = name;
  await new Stryker({
    configFile: 'test/mutation/stryker.config.json',
    mutate: files.length > 0 ? files : [...room.files],
    jsonReporter: { fileName: `.cache/mutation/${name}.json` },
  }).runMutationTest();
}
