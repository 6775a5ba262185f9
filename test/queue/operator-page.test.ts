/** Operators answer on one page where a request is, why it failed, and when its webhook is tried again. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { createId } from '../../runtime/queue/store/ids.js';
import { openPage } from '../chromium.js';
import { until } from '../until.js';
import { startTestQueue, type TestQueue } from './harness.js';

const spec = fileURLToPath(new URL('misbehaving-spec', import.meta.url));
const password = 'operators need one';
const temporalUi = 'http://temporal.example.com/ui';

/** Keeps a picture of the page, where `SCREENSHOTS` names a folder. */
const shot = async (page: Page, name: string): Promise<void> => {
  const folder = process.env['SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
};
const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const fitsWidth = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');

describe('the page of operators', () => {
  let queue: TestQueue;
  /** A request that failed, whose webhook waits because its receiver fails. */
  let sought = '';
  const account = (): string => queue.ids.users.get('ann') ?? '';

  beforeAll(async () => {
    queue = await startTestQueue('sqlite', { spec, environment: { TEMPORAL_UI_URL: temporalUi } });
    const policy = { name: 'Operators', operator_access: true };
    const made = await queue.request('POST', '/policies', { as: 'admin', body: policy });
    const body = { policy: (made.data as { id: string }).id, user: queue.ids.users.get('bob') };
    await queue.request('POST', '/access', { as: 'admin', body });
    for (const name of ['ann', 'bob']) {
      const login = { email: `${name}@example.com`, password };
      await queue.request('PATCH', `/users/${queue.ids.users.get(name)}`, { as: 'admin', body: login });
    }
    await queue.startWorkers();
    queue.receiver.answers.push(...Array.from({ length: 1_000 }, () => 503));
    const path = `/queue/test/fail?svc_webhook=${queue.receiver.url}/hook`;
    const submitted = await queue.request('POST', path, { body: {}, headers: queue.auth.ann });
    sought = (submitted.body as { request_id: string }).request_id;
    await until(async () => {
      const { data } = await queue.request('GET', `/requests/${sought}/deliveries`, { as: 'ann' });
      return (data as { postponed: string | null }[])[0]?.postponed === 'receiver_failing' || null;
    });
    await insertRequests(1_000);
  });
  afterAll(() => queue.close());

  /** Stores requests of all kinds: waiting, done, and failed with an error that looks like HTML. */
  const insertRequests = async (count: number): Promise<void> => {
    const now = Date.now();
    const other = queue.ids.users.get('bob') ?? '';
    const kinds = [
      ['test/old', 'ended', null, 200],
      ['test/old', 'ended', 'runner_server_error', 500],
      ['test/gone', 'waiting', null, null],
      ['test/old', 'ended', 'request_timeout', 504],
    ] as const;
    const rows = Array.from({ length: count }, (_, index) => {
      const [model, state, error, status] = kinds[index % kinds.length] ?? kinds[0];
      const ended = state === 'ended' ? now - 1_000 : null;
      return [
        createId(),
        index % 3 === 0 ? account() : other,
        model,
        state,
        error,
        status,
        now - count + index,
        ended,
      ];
    });
    for (let from = 0; from < rows.length; from += 100) {
      const some = rows.slice(from, from + 100);
      await queue.database.write({
        text:
          'insert into svc_requests ' +
          '(id, account, model, state, error_type, http_status, date_created, date_ended, input) values ' +
          some.map(() => "(?, ?, ?, ?, ?, ?, ?, ?, '{}')").join(', '),
        values: some.flat(),
      });
    }
    await queue.database.write({
      text:
        'insert into svc_request_attempts (request, number, worker, outcome, error_type, error_name, error_message, ' +
        "error_stack, date_begun, date_ended) values (?, 1, 'w', 'error', 'runner_server_error', 'Error', ?, 'at', 1, 2)",
      values: [rows[1]?.[0] ?? '', '<img src=x onerror="document.title=1">'],
    });
    hostile = String(rows[1]?.[0]);
  };
  let hostile = '';

  const open = async (who: string, options: Parameters<typeof openPage>[0] = {}): Promise<Page> => {
    const page = await openPage(options);
    page.setDefaultTimeout(15_000);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      // a refused login and a missing right are answers
      if (message.type() === 'error' && !/status of 40[13]/.test(message.text())) faults.push(message.text());
    });
    await page.goto(`${queue.url}/operator`);
    await page.getByLabel('E-mail').fill(`${who}@example.com`);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    page.once('close', () => expect(faults).toEqual([]));
    return page;
  };
  it('holds no data, and shows none to callers without the right', async () => {
    const { status, text } = await queue.request('GET', '/operator');
    expect([status, text.includes(sought)]).toEqual([200, false]);
    const page = await open('ann');
    await shows(page, 'It needs a policy with operator_access');
    expect(await page.locator('main').innerText()).not.toContain(sought.slice(0, 8));
    await page.close();
  });

  it('finds in one search where a request is, why it failed, and when its webhook is tried again', async () => {
    const page = await open('bob');
    await shows(page, 'Older requests');
    await shot(page, 'requests');
    await page.getByLabel('Request').fill(sought);
    await page.getByRole('button', { name: 'Search' }).click();
    await shows(page, `Request ${sought}`);
    const facts = await page.locator('dl').innerText();
    for (const fact of [
      'runner_server_error',
      'Error: a secret',
      'test/fail',
      account(),
      `pending · ${queue.receiver.url}`,
    ])
      expect(facts).toContain(fact);
    expect(facts).toMatch(/\(in \d+ s\): the receiver failed too often/);
    expect(await page.getByRole('link', { name: 'in the Temporal UI' }).getAttribute('href')).toBe(
      `${temporalUi}/namespaces/${queue.namespace}/workflows/${sought}`,
    );
    expect(await page.locator('ol > li').count()).toBeGreaterThan(12);
    await shot(page, 'request');
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await shows(page, 'Webhooks of the last day');
    const row = page.getByRole('row').filter({ hasText: 'the receiver failed too often' });
    expect(await row.innerText()).toContain('status 503');
    await shot(page, 'webhooks');
    await page.close();
  });

  it('shows messages of models and stacks as text', async () => {
    const page = await open('bob');
    await shows(page, 'Older requests');
    await page.getByLabel('Request').fill(hostile);
    await page.getByRole('button', { name: 'Search' }).click();
    await shows(page, '<img src=x onerror="document.title=1">');
    expect(await page.title()).toBe('Operate the queue');
    await page.close();
  });

  it('acts on all that match a search, after it has counted them and asked', async () => {
    const page = await open('bob');
    await shows(page, 'Older requests');
    await page.getByLabel('Model').fill('test/gone');
    await page.getByLabel('Account').fill(account());
    await page.getByRole('button', { name: 'Search' }).click();
    await shows(page, 'All that match:');
    await page.getByRole('button', { name: 'Cancel' }).click();
    const dialog = page.getByRole('dialog');
    const [counted] = await queue.database.query(
      "select count(*) as n from svc_requests where model = 'test/gone' and account = ?",
      [account()],
    );
    await dialog.getByText(`${counted?.n} requests are cancelled.`).waitFor();
    await shot(page, 'dialog');
    await dialog.getByRole('button', { name: 'Go back' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByLabel('Reason').fill('its model is gone');
    await dialog.getByRole('button', { name: `Cancel ${counted?.n} requests` }).click();
    await shows(page, `cancel done: ${counted?.n} done, 0 not.`);
    const [action] = await queue.database.query(
      "select total, reason from svc_operator_actions where action = 'cancel'",
      [],
    );
    expect(action).toMatchObject({ reason: 'its model is gone' });
    await page.close();
  });

  it('aborts an action on many requests, which says how far it came', async () => {
    const count = 5_000;
    await queue.database.write({
      text:
        'insert into svc_requests (id, account, model, state, http_status, date_created, date_ended, input) ' +
        'with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?) ' +
        "select printf('00000000-0000-7000-8000-%012x', n), ?, 'test/many', 'ended', 200, ?, ?, '{}' from numbers",
      values: [count, account(), Date.now(), Date.now()],
    });
    const page = await open('bob');
    await shows(page, 'Older requests');
    await page.getByLabel('Model').fill('test/many');
    await page.getByRole('button', { name: 'Search' }).click();
    await shows(page, 'All that match:');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Retry ${count} requests` })
      .click();
    await page.getByRole('button', { name: 'Abort' }).click();
    await shows(page, 'retry aborted: ');
    const [action] = await queue.database.query(
      "select state, done, failed from svc_operator_actions where action = 'retry'",
      [],
    );
    expect(action).toMatchObject({ state: 'aborted' });
    expect(Number(action?.done) + Number(action?.failed)).toBeLessThan(count);
    await page.close();
  });

  it('pauses and resumes a model, shows workers and accounts, and logs out', async () => {
    const page = await open('bob', { colorScheme: 'dark' });
    await shows(page, 'Older requests');
    await page.getByRole('link', { name: 'Models' }).click();
    const row = page.getByRole('row').filter({ hasText: 'test/good' });
    await row.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await row.getByText('paused').waitFor();
    await shot(page, 'models-dark');
    await row.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await row.getByRole('button', { name: 'Pause' }).waitFor();
    await queue.database.write({
      text: "insert into svc_model_locks (model) values ('test/busy')",
      values: [],
    });
    await queue.database.write({
      text:
        'insert into svc_requests (id, account, model, state, date_created, input) ' +
        "values (?, ?, 'test/busy', 'admitted', ?, '{}'), (?, ?, 'test/busy', 'running', ?, '{}')",
      values: [createId(), account(), Date.now(), createId(), account(), Date.now()],
    });
    await page.getByRole('link', { name: 'Workers' }).click();
    await page.getByRole('link', { name: 'Models' }).click();
    const busy = page.getByRole('row').filter({ hasText: 'test/busy' }).getByRole('cell');
    await busy.first().waitFor();
    expect((await busy.allInnerTexts()).slice(2, 5)).toEqual(['0', '', '2']);
    await page.getByRole('link', { name: 'Workers' }).click();
    await page.getByRole('button', { name: 'Drain' }).waitFor();
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.getByRole('link', { name: queue.ids.users.get('bob') ?? '' }).click();
    await shows(page, 'submitted_per_minute');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Password').waitFor();
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(28, 27, 26)');
    await page.close();
  });

  it('fits a phone', async () => {
    const page = await open('bob', { viewport: { width: 390, height: 844 }, isMobile: true });
    await shows(page, 'Older requests');
    await shot(page, 'requests-narrow');
    for (const tab of ['Requests', 'Models', 'Webhooks', 'Workers', 'Accounts']) {
      await page.getByRole('link', { name: tab, exact: true }).click();
      await page.locator(`nav a[aria-current][href="#/${tab.toLowerCase()}"]`).waitFor();
      expect([tab, await fitsWidth(page)]).toEqual([tab, true]);
    }
    await page.goto(`${queue.url}/operator#/requests/${sought}`);
    await shows(page, 'What happened');
    expect(await fitsWidth(page)).toBe(true);
    await shot(page, 'request-narrow');
    await page.close();
  });
});
