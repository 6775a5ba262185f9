/** The text that the demo prints once it is ready. */

export interface GreetingOptions {
  readonly url: string;
  readonly urls: Readonly<Record<string, string>>;
  /** URL of Temporal's UI; `null` when unknown. */
  readonly ui: string | null;
  readonly email: string;
  /** `null` when the administrator has none. */
  readonly token: string | null;
  /** `null` when an earlier start printed it. */
  readonly password: string | null;
  /** Key of the queue; `null` when an earlier start printed it. */
  readonly key: string | null;
  readonly file: string;
}

/** Returns the greeting with URLs, credentials and requests to try, ready to be printed. */
export const formatGreeting = (options: GreetingOptions): string => {
  const { urls, ui, email, token, password, key, file } = options;
  const links = { ...urls, ...(ui !== null && { temporal: ui }) };
  const width = Math.max(...Object.keys(links).map((name) => name.length), 'password'.length) + 2;
  const row = ([name, value]: readonly [string, string]): string => `  ${name.padEnd(width)}${value}`;
  return [
    '',
    ...Object.entries(links).map(row),
    '',
    row(['admin', email]),
    row(['password', password ?? `printed at the first start; "svc users password ${email}" sets a new one`]),
    row(['token', token ?? `none; "svc users token ${email}" creates one`]),
    row(['key', key ?? `printed at the first start; "svc keys create --user ${email}" creates another`]),
    '',
    'Try it:',
    '',
    ...itemCommands(`${options.url}/items`, token ?? 'TOKEN'),
    '',
    'Log in, and read your own user:',
    '',
    ...loginCommands(options),
    '',
    'Try the queue. In another terminal, start a webhook receiver:',
    '',
    receiverCommand,
    '',
    'Then submit a request, and read its status and its result:',
    '',
    ...queueCommands(`${options.url}/queue`, key === null ? `Bearer ${token ?? 'TOKEN'}` : `Key ${key}`),
    '',
    `Press Ctrl-C to stop. The data is kept in ${file}.`,
    '',
  ].join('\n');
};

/** Returns commands to paste: a nested list, a filter, a new item. */
const itemCommands = (items: string, token: string): readonly string[] => {
  const header = `-H 'Authorization: Bearer ${token}'`;
  return [
    `curl -g '${items}/Album?fields=Title,ArtistId.Name,Track.Name&limit=2' ${header}`,
    `curl -g '${items}/Track?filter[Milliseconds][_gt]=4000000&fields=Name,Milliseconds&sort=-Milliseconds' ${header}`,
    `curl -X POST '${items}/Artist' ${header} -H 'Content-Type: application/json' -d '{"Name":"Clara Schumann"}'`,
  ];
};

/** Returns commands that obtain and use an access token. */
const loginCommands = ({ url, email, password }: GreetingOptions): readonly string[] => {
  const credentials = JSON.stringify({ email, password: password ?? 'PASSWORD' });
  return [
    `jwt=$(curl -s '${url}/auth/login' -H 'Content-Type: application/json' -d '${credentials}' | ` +
      `tee /dev/stderr | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`,
    `curl '${url}/users/me?fields=email,role.name' -H "Authorization: Bearer $jwt"`,
  ];
};

const port = 9000;

/** Starts a server that prints headers and body of every webhook and accepts it. */
const receiverCommand =
  `node -e 'require("http").createServer((q,a)=>{console.log(q.headers);q.pipe(process.stdout,{end:false});` +
  `q.on("end",()=>a.end())}).listen(${port},"127.0.0.1")'`;

const queueCommands = (queue: string, authorization: string): readonly string[] => {
  const header = `-H 'Authorization: ${authorization}'`;
  const submit =
    `curl -s '${queue}/demo/image?svc_webhook=http://127.0.0.1:${port}/' ${header} ` +
    `-H 'Content-Type: application/json' -d '{"prompt":"A lighthouse in the fog","seed":7}'`;
  const state = `${queue}/demo/image/requests/$id`;
  return [
    `id=$(${submit} | tee /dev/stderr | grep -o '[0-9a-f-]\\{36\\}' | head -1)`,
    `curl "${state}/status?logs=1" ${header}`,
    `curl "${state}" ${header}`,
  ];
};
