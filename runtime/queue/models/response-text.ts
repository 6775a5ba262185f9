/** Reads what an inference server answers, within limits: a worker runs the models of others beside it. */
import type { Response } from 'undici';
import { maxOutputBytes } from './output.js';

/** Maximum characters of a response or of an event; more than a result may have, as it may be indented. */
const maxLength = 4 * maxOutputBytes;

/** A response that is longer than any result. */
export class OversizedResponse extends Error {
  constructor() {
    super(
      `the inference server sent more than ${maxLength} characters, but the maximum of a result is ${maxOutputBytes} bytes; return the address of a file instead`,
    );
    this.name = 'OversizedResponse';
  }
}

/** An event of `text/event-stream`. */
export interface ServerEvent {
  /** `log` where the server gives none. */
  readonly name: string;
  readonly data: string;
}

/**
 * Returns the text of a response.
 * @throws OversizedResponse where it is longer than any result; the connection is closed
 */
export const textOf = async (response: Response): Promise<string> => {
  const parts: string[] = [];
  let length = 0;
  for await (const part of partsOf(response)) {
    parts.push(part);
    length += part.length;
    if (length > maxLength) throw new OversizedResponse();
  }
  return parts.join('');
};

/**
 * Yields the events of a response; of their fields, `event` and `data` are read. The connection is closed with the loop.
 * @throws OversizedResponse where an event is longer than any result
 */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  let name: string | null = null;
  let data: string[] = [];
  let length = 0;
  for await (const line of linesOf(response)) {
    if (line === '') {
      if (name !== null || data.length > 0) yield { name: name ?? 'log', data: data.join('\n') };
      [name, data, length] = [null, [], 0];
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?([^]*))?$/.exec(line) ?? [];
    if (field === 'event') name = value;
    if (field === 'data') data.push(value);
    length += line.length;
    if (length > maxLength) throw new OversizedResponse();
  }
}

/** Yields the lines that have ended, by any of the three line breaks of event streams. */
async function* linesOf(response: Response): AsyncGenerator<string> {
  let rest: string[] = [];
  let length = 0;
  let endsInReturn = false;
  for await (const part of partsOf(response)) {
    const text = endsInReturn && part.startsWith('\n') ? part.slice(1) : part;
    endsInReturn = part.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|\r|\n/);
    rest.push(first);
    length += first.length;
    if (length > maxLength) throw new OversizedResponse();
    const last = others.pop();
    if (last === undefined) continue;
    yield rest.join('');
    yield* others;
    rest = [last];
    length = last.length;
  }
}

const partsOf = async function* ({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  for await (const bytes of body as AsyncIterable<Uint8Array>) {
    const text = decoder.decode(bytes, { stream: true });
    if (text !== '') yield text;
  }
};
