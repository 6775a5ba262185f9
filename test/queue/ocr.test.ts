/** `demo/ocr` with its real engine: the picture is a page of text that a browser has drawn. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPage } from '../chromium.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { until } from '../until.js';

const lines = ['The lighthouse in the fog', 'was built in 1887'];

const drawPage = async (): Promise<Buffer> => {
  const page = await openPage({ viewport: { width: 640, height: 160 } });
  try {
    await page.setContent(`<p style="font: 32px sans-serif">${lines.join('<br>')}</p>`);
    return await page.screenshot();
  } finally {
    await page.close();
  }
};

describe('text in a picture', () => {
  let queue: TestQueue;
  let picture: Buffer;
  beforeAll(async () => {
    picture = await drawPage();
    queue = await startTestQueue('sqlite');
    await queue.startWorkers();
  });
  afterAll(() => queue.close());

  const read = async (image: string) => {
    const headers = queue.auth.ann;
    const made = await queue.request('POST', '/queue/demo/ocr', { body: { image }, headers });
    const { request_id: id } = made.body as { request_id: string };
    return until(async () => {
      const answer = await queue.request('GET', `/queue/demo/ocr/requests/${id}`, { headers });
      return answer.text.includes('in progress') ? null : answer;
    });
  };

  it('is read, line by line', async () => {
    const { status, body } = await read(picture.toString('base64'));
    expect([status, body]).toMatchObject([
      200,
      { text: lines.join('\n'), lines: lines.map((text) => ({ text })) },
    ]);
    expect((body as { confidence: number }).confidence).toBeGreaterThan(80);
  });

  it('is read from a "data:" URL', async () => {
    const { body } = await read(`data:image/png;base64,${picture.toString('base64')}`);
    expect(body).toMatchObject({ text: lines.join('\n') });
  });

  it('is rejected if the input is not a picture', async () => {
    const { status, body } = await read(Buffer.from('text').toString('base64'));
    expect([status, body]).toMatchObject([
      422,
      { detail: [{ loc: ['body', 'image'], type: 'value_error.str.regex' }] },
    ]);
  });

  it('of a damaged picture is rejected as an input', async () => {
    const { status, body } = await read(picture.subarray(0, 60).toString('base64'));
    expect([status, body]).toMatchObject([
      422,
      { detail: [{ loc: ['body', 'image'], msg: 'the image is damaged and cannot be read' }] },
    ]);
    expect((await read(picture.toString('base64'))).status).toBe(200);
  });
});
