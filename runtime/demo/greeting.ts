/** The text that the demo prints once it is ready. */

export interface Demo {
  readonly url: string;
  readonly urls: Readonly<Record<string, string>>;
  /** URL of Temporal's UI; `null` when unknown. */
  readonly ui: string | null;
  readonly email: string;
  /** `null` when the administrator has none or is another user now. */
  readonly token: string | null;
  /** `null` when it was printed before. */
  readonly password: string | null;
  /** Key of the queue; `null` when it was printed before. */
  readonly key: string | null;
  readonly file: string;
}

export const greet = (demo: Demo): string => {
  const { urls, ui, email, token, password, key, file } = demo;
  const places = { ...urls, ...(ui !== null && { temporal: ui }) };
  const width = Math.max(...Object.keys(places).map((name) => name.length), 'password'.length) + 2;
  const row = ([name, value]: readonly [string, string]): string => `  ${name.padEnd(width)}${value}`;
  return [
    '',
    ...Object.entries(places).map(row),
    '',
    row(['admin', email]),
    row(['password', password ?? `told at the first start; "svc users password ${email}" makes another`]),
    row(['token', token ?? `none; "svc users token ${email}" makes one`]),
    row(['key', key ?? `told at the first start; "svc keys create --user ${email}" makes another`]),
    '',
    'Try it:',
    '',
    ...curls(urls.items ?? '', token ?? 'TOKEN'),
    '',
    'A login, and who one is then:',
    '',
    ...loginCurls(demo),
    '',
    'The queue. In another terminal, who receives what comes of it:',
    '',
    receiver,
    '',
    'A request, its state, its result:',
    '',
    ...queueCurls(`${demo.url}/queue`, key === null ? `Bearer ${token ?? 'TOKEN'}` : `Key ${key}`),
    '',
    `Ctrl-C stops it; the data stays in ${file}.`,
    '',
  ].join('\n');
};

/** Returns commands to paste: a nested list, a filter, a new item. */
const curls = (items: string, token: string): readonly string[] => {
  const header = `-H 'Authorization: Bearer ${token}'`;
  return [
    `curl -g '${items}/Album?fields=Title,ArtistId.Name,Track.Name&limit=2' ${header}`,
    `curl -g '${items}/Track?filter[Milliseconds][_gt]=4000000&fields=Name,Milliseconds&sort=-Milliseconds' ${header}`,
    `curl -X POST '${items}/Artist' ${header} -H 'Content-Type: application/json' -d '{"Name":"Clara Schumann"}'`,
  ];
};

/** Returns commands that obtain and use an access token. */
const loginCurls = ({ url, email, password }: Demo): readonly string[] => {
  const credentials = JSON.stringify({ email, password: password ?? 'PASSWORD' });
  return [
    `jwt=$(curl -s '${url}/auth/login' -H 'Content-Type: application/json' -d '${credentials}' | ` +
      `tee /dev/stderr | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`,
    `curl '${url}/users/me?fields=email,role.name' -H "Authorization: Bearer $jwt"`,
  ];
};

const port = 9000;

/** Prints a server that shows signatures and bodies and accepts every webhook. */
const receiver =
  `node -e 'require("http").createServer((q,a)=>{console.log(q.headers);q.pipe(process.stdout,{end:false});` +
  `q.on("end",()=>a.end())}).listen(${port},"127.0.0.1")'`;

const queueCurls = (queue: string, authorization: string): readonly string[] => {
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
