/** What the demo tells on the terminal, once it answers. */

export interface Demo {
  readonly urls: Readonly<Record<string, string>>;
  readonly email: string;
  /** `null`: the administrator has none, or is somebody else by now. */
  readonly token: string | null;
  /** `null`: it was told before. */
  readonly password: string | null;
  readonly file: string;
}

export const greet = ({ urls, email, token, password, file }: Demo): string => {
  const names = Object.keys(urls);
  const width = Math.max(...names.map((name) => name.length), 'password'.length) + 2;
  const row = (name: string, value: string): string => `  ${name.padEnd(width)}${value}`;
  return [
    '',
    ...names.map((name) => row(name, urls[name] ?? '')),
    '',
    row('admin', email),
    row('password', password ?? `told at the first start; "svc users password ${email}" makes another`),
    row('token', token ?? `none; "svc users token ${email}" makes one`),
    '',
    'Try it:',
    '',
    ...curls(urls.items ?? '', token ?? 'TOKEN'),
    '',
    `Ctrl-C stops it; the data stays in ${file}.`,
    '',
  ].join('\n');
};

/** A nested list, a filter, a new item: each pasted as it is. */
const curls = (items: string, token: string): readonly string[] => {
  const header = `-H 'Authorization: Bearer ${token}'`;
  return [
    `curl -g '${items}/Album?fields=Title,ArtistId.Name,Track.Name&limit=2' ${header}`,
    `curl -g '${items}/Track?filter[Milliseconds][_gt]=4000000&fields=Name,Milliseconds&sort=-Milliseconds' ${header}`,
    `curl -X POST '${items}/Artist' ${header} -H 'Content-Type: application/json' -d '{"Name":"Clara Schumann"}'`,
  ];
};
