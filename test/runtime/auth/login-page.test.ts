/** A login with a one-time password in a browser, on a page of an application that holds the API. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPage } from '../../chromium.js';
import { sampleDialects } from '../../databases.js';
import { stopClock } from '../harness/clock.js';
import { mountPath } from '../harness/listeners.js';
import { useServer } from '../harness/use-server.js';
import { loginPage } from './login-page.js';
import { codeOf, enableCodes, password, peopleServer } from './people.js';

describe.each(sampleDialects(import.meta.url))('a login page on %s', (dialect) => {
  stopClock();
  const server = useServer({ ...peopleServer({ dialect }), dialect, listener: 'express' });
  let application: Server;
  beforeAll(async () => {
    const { app } = server();
    if (app === null) throw new Error('nothing is there to be held by an application');
    const pages = express().get('/', (_request, response) => void response.send(loginPage));
    await new Promise<void>((resolve) => {
      application = pages.use(mountPath, app).listen(0, '127.0.0.1', () => resolve());
    });
  });
  afterAll(() => void application.close());

  it('asks for the code after the password, accepts it once and keeps the session in a cookie', async () => {
    const secret = await enableCodes(server(), 'ben');
    const page = await openPage();
    const code = page.getByLabel('Code');
    const says = (text: string) => page.getByText(text).waitFor();
    const submit = () => page.getByRole('button', { name: 'Log in' }).click();
    const fill = async (given: string) => {
      await page.getByLabel('E-mail').fill('ben@example.com');
      await page.getByLabel('Password').fill(given);
      await submit();
    };
    const fillCode = async (given: string) => {
      await code.fill(given);
      await submit();
    };
    await page.goto(`http://127.0.0.1:${(application.address() as AddressInfo).port}/`);
    await fill('a guess');
    await says('This is not your password.');
    expect(await code.isVisible()).toBe(false);
    await fill(password);
    await says('Enter the code of your application.');
    const { SCREENSHOT: path } = process.env;
    if (path !== undefined) await page.screenshot({ path });
    await fillCode('000000');
    await says('This code is not accepted.');
    const used = codeOf(secret);
    await fillCode(used);
    await says('You may read');
    const cookies = await page.context().cookies();
    expect(cookies).toMatchObject([
      { name: 'svc_session_token', httpOnly: true, sameSite: 'Lax', path: '/' },
    ]);
    await page.reload();
    await says('You may read');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('E-mail').waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await fill(password);
    await says('Enter the code of your application.');
    await fillCode(used);
    await says('This code is not accepted.');
    await fillCode(codeOf(secret, 1));
    await says('You may read');
    await page.close();
  });
});
