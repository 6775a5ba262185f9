import { expect, it } from 'vitest';
import { numberPlaceholders } from '../../../runtime/databases/postgres/placeholders.js';

it.each([
  ['select 1', 'select 1'],
  ['a = ? and b in (?, ?)', 'a = $1 and b in ($2, $3)'],
  ['"what?" = ? and "a""?" = ?', '"what?" = $1 and "a""?" = $2'],
  [
    "x like ? escape '!' or x = '?' or x = 'it''s ?' or y = ?",
    "x like $1 escape '!' or x = '?' or x = 'it''s ?' or y = $2",
  ],
])('%s becomes %s', (text, numbered) => {
  expect(numberPlaceholders(text)).toBe(numbered);
});
