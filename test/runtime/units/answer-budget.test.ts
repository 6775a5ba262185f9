/** The memory of answers, by process and caller. */
import { expect, it } from 'vitest';
import { createAnswerBudget } from '../../../runtime/execute/answer-budget.js';

const codeOf = (run: () => void): string => {
  try {
    run();
    return 'taken';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

const nothing = (): void => undefined;

/** Accounts of a maximum of 1000 bytes, 250 for each caller. */
const openAccounts = () => {
  const answers = createAnswerBudget(1000);
  return (caller: string) => {
    let close = nothing;
    const account = answers.open(
      () => caller,
      (release) => (close = release),
    );
    return {
      take: (count: number) => codeOf(() => account.take(count)),
      giveBack: (count: number) => account.giveBack(count),
      close: () => close(),
    };
  };
};

it('rejects a response that never fits as too complex', () => {
  const open = openAccounts();
  expect(open('a').take(251)).toBe('QUERY_TOO_COMPLEX');
  const answer = open('a');
  expect([answer.take(200), answer.take(51)]).toEqual(['taken', 'QUERY_TOO_COMPLEX']);
});

it('limits a caller to a quarter until a response is sent', () => {
  const open = openAccounts();
  const [first, second] = [open('a'), open('a')];
  expect([first.take(200), second.take(51), second.take(50)]).toEqual([
    'taken',
    'SERVICE_UNAVAILABLE',
    'taken',
  ]);
  first.close();
  expect(second.take(200)).toBe('taken');
});

it('limits all callers to the maximum', () => {
  const open = openAccounts();
  const all = ['a', 'b', 'c', 'd', 'e'].map((caller) => open(caller));
  expect(all.map((each) => each.take(240))).toEqual([
    'taken',
    'taken',
    'taken',
    'taken',
    'SERVICE_UNAVAILABLE',
  ]);
  all[1]?.giveBack(240);
  expect(all[4]?.take(240)).toBe('taken');
});

it('counts nothing for a response whose client has disconnected', () => {
  const open = openAccounts();
  const given = open('a');
  given.take(250);
  given.close();
  expect(given.take(250)).toBe('taken');
  given.giveBack(250);
  expect(open('a').take(250)).toBe('taken');
});
