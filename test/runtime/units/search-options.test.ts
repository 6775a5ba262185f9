/** Values of the options by which operators search for requests. */
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { addSearchOptions } from '../../../runtime/commands/request-search.js';

const parse = (...args: readonly string[]): unknown =>
  addSearchOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .parse(args, { from: 'user' })
    .opts();

it.each(['0', '99', '600', '999', '20', '2000', 'ok', ''])('%j is no status', (status) => {
  expect(() => parse('--http-status', status)).toThrow('expected a status of HTTP, such as 500');
});

it.each(['batch', '=7', 'Batch=7', `${'a'.repeat(65)}=7`])('%j is no tag', (tag) => {
  expect(() => parse('--tag', tag)).toThrow('expected key=value');
});

it('are read where they are right', () => {
  expect(parse('--http-status', '504', '--tag', 'batch=a=b')).toEqual({ httpStatus: 504, tag: 'batch=a=b' });
});
