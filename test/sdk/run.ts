/** Runs compiled programs, each with a client of a server, and gathers what they say. */
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openPage } from '../chromium.js';

export interface Outcome {
  readonly name: string;
  /** The result, or the message of its error. */
  readonly result: unknown;
  readonly expected: unknown;
}

export interface RunOptions {
  readonly folder: string;
  /** Its folder in the project; of those that run in a page. */
  readonly programs?: string;
  readonly url: string;
  readonly token: string;
  /** True where a page asks the API itself, which is of another origin then; otherwise below a path of its own. */
  readonly crossOrigin?: boolean;
}

/** The same in Node and in a page: programs one after another, because they write. */
const runner = `
export const runAll = async (names, { url, token, createClient }) => {
  const api = createClient({ url, token });
  const outcomes = [];
  for (const name of names) {
    const { run, expected } = await import('./' + name);
    if (expected === undefined) throw new Error(name + ' does not say what it expects');
    const result = await run(api, url).catch((error) => String(error));
    outcomes.push({ name, result: result ?? 'nothing', expected });
  }
  return outcomes;
};
`;

const start = `
import { createClient } from 'content-api-client';
import { runAll } from './runner.mjs';
const [names, url, token] = process.argv.slice(2);
console.log(JSON.stringify(await runAll(names.split(','), { url, token, createClient })));
`;

const programsIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.js') && name !== 'exactly.js').sort();

export const runInNode = async (node: string, { folder, url, token }: RunOptions): Promise<Outcome[]> => {
  await writeFile(join(folder, 'runner.mjs'), runner);
  await writeFile(join(folder, 'start.mjs'), start);
  const names = await programsIn(folder);
  const { stdout } = await promisify(execFile)(node, [join(folder, 'start.mjs'), names.join(), url, token]);
  return JSON.parse(stdout) as Outcome[];
};

/** `folder` is that of the project. */
export const runInBrowser = async ({
  folder,
  programs = 'right',
  url,
  token,
  crossOrigin = false,
}: RunOptions): Promise<Outcome[]> => {
  await writeFile(join(folder, programs, 'runner.mjs'), runner);
  const names = await programsIn(join(folder, programs));
  const call = (api: string): string =>
    `Promise.all([import('content-api-client'), import('/project/${programs}/runner.mjs')]).then(
      ([{ createClient }, { runAll }]) =>
        runAll(${JSON.stringify(names)}, { url: ${JSON.stringify(api)}, token: ${JSON.stringify(token)}, createClient }),
    )`;
  return (await evaluateInBrowser({ folder, url }, crossOrigin ? () => call(url) : call)) as Outcome[];
};

/**
 * Evaluates an expression in a page that has the client of the project. The page is of the same origin as the API,
 * as behind one proxy; `expression` is told where the API is there.
 */
export const evaluateInBrowser = async (
  { folder, url }: Pick<RunOptions, 'folder' | 'url'>,
  expression: (api: string) => string,
): Promise<unknown> => {
  const site = await serveSite(folder, url);
  const page = await openPage();
  try {
    await page.goto(`${site.url}/page`);
    return JSON.parse(JSON.stringify(await page.evaluate(expression(`${site.url}/api`)))) as unknown;
  } finally {
    await page.close();
    site.close();
  }
};

const dist = '/project/node_modules/content-api-client/dist';

const imports = {
  'content-api-client': `${dist}/index.js`,
  'content-api-client/graphql': `${dist}/graphql/items.js`,
  'content-api-client/graphql/system': `${dist}/graphql/system.js`,
};

const page = `<!doctype html><title>client</title>
<script type="importmap">${JSON.stringify({ imports })}</script>`;

/** The project's files, and the API below `/api`. */
const serveSite = async (folder: string, api: string) => {
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? '/';
    if (path.startsWith('/api/')) pass(incoming, response, `${api}${path.slice('/api'.length)}`);
    else if (path.startsWith('/project/'))
      void sendFile(response, join(folder, path.slice('/project'.length)));
    else response.setHeader('content-type', 'text/html').end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const sendFile = async (response: ServerResponse, path: string): Promise<void> => {
  response.setHeader('content-type', 'text/javascript').end(await readFile(path));
};

const pass = (incoming: IncomingMessage, response: ServerResponse, url: string): void => {
  const { method, headers } = incoming;
  const outgoing = request(url, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
};
