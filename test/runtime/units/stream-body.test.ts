/** Bodies that are read as they arrive, of clients whose connection is lost. */
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { streamBody } from '../../../runtime/http/body.js';
import { until } from '../../until.js';

/** Sends the beginning of a request, whose body is read as a stream. */
const receive = async (head: string, part: Buffer) => {
  const seen: { text: string; error: unknown; isEnded: boolean } = { text: '', error: null, isEnded: false };
  const server = createServer((request, response) => {
    const body = streamBody(request, 1_000);
    body.on('data', (chunk: Buffer) => (seen.text += chunk.toString()));
    body.once('error', (error) => (seen.error = error));
    body.once('end', () => {
      seen.isEnded = true;
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nhost: here\r\n${head}\r\n\r\n`);
  socket.write(part);
  return { seen, socket, close: () => server.close() };
};

describe('the stream of a body', () => {
  it.each([
    ['of a known length', 'content-length: 100', Buffer.from('half of it')],
    ['in chunks', 'transfer-encoding: chunked', Buffer.from('a\r\nhalf of it\r\n')],
    [
      'that is compressed',
      'content-encoding: gzip\r\ncontent-length: 100',
      gzipSync('half of it').subarray(0, -8),
    ],
  ])('%s fails when the connection is lost before its end', async (_, head, part) => {
    const { seen, socket, close } = await receive(head, part);
    await until(() => seen.text === 'half of it');
    expect(seen.error).toBeNull();
    socket.destroy();
    await until(() => seen.error !== null, { timeout: 10_000 });
    expect(seen.error).toMatchObject({
      code: 'INVALID_PAYLOAD',
      message: expect.stringContaining('the client closed the connection before the body was complete'),
    });
    expect(seen.isEnded).toBe(false);
    close();
  });

  it('ends where the body is complete, though the connection is lost then', async () => {
    const { seen, socket, close } = await receive('content-length: 10', Buffer.from('all of it.'));
    await until(() => seen.isEnded);
    socket.destroy();
    expect(seen).toEqual({ text: 'all of it.', error: null, isEnded: true });
    close();
  });
});
