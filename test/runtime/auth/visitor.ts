/** A browser without pages: keeps cookies, and goes where it is sent one step at a time. */

export interface Visit {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Target of the redirect; absolute. */
  readonly location: string | null;
}

export interface Visitor {
  readonly cookies: Map<string, string>;
  get(url: string): Promise<Visit>;
  post(url: string, form: Readonly<Record<string, string>>): Promise<Visit>;
  /** Logs in at a provider that sent a page, until it leads elsewhere. @returns where to */
  logIn(url: string, name: string): Promise<string>;
}

export const createVisitor = (): Visitor => {
  const cookies = new Map<string, string>();

  const visit = async (url: string, init: RequestInit): Promise<Visit> => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) keep(cookies, line);
    const location = response.headers.get('location');
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: location === null ? null : new URL(location, url).href,
    };
  };

  const get = (url: string): Promise<Visit> => visit(url, {});
  const post = (url: string, form: Readonly<Record<string, string>>): Promise<Visit> =>
    visit(url, { method: 'POST', body: new URLSearchParams(form) });

  return {
    cookies,
    get,
    post,
    async logIn(url, name) {
      const { origin } = new URL(url);
      let next = url;
      for (let step = 0; step < 12; step += 1) {
        const page = await get(next);
        const answer = page.location === null ? await answerForm(next, page, name) : page;
        if (answer.location === null)
          throw new Error(`the provider leads nowhere: ${answer.status} ${answer.text}`);
        next = answer.location;
        if (new URL(next).origin !== origin) return next;
      }
      throw new Error('the provider never leads back');
    },
  };

  async function answerForm(url: string, { text }: Visit, name: string): Promise<Visit> {
    const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1] ?? url;
    const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1] ?? '';
    return post(new URL(action, url).href, { prompt, login: name, password: 'any' });
  }
};

const keep = (cookies: Map<string, string>, line: string): void => {
  const [pair = '', ...attributes] = line.split(/; */);
  const at = pair.indexOf('=');
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
  if (
    value === '' ||
    attributes.some((attribute) => /^(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute))
  )
    cookies.delete(name);
  else cookies.set(name, value);
};
