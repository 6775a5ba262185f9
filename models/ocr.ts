/** `demo/ocr`: reads printed text. The engine and its language data are optional packages, loaded on first use. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ModelError } from '../contract/queue-model.js';
import type { RunModel } from '@svc-api/svc/runtime';
import type { DemoOcrInput, DemoOcrOutput } from '../generated/server/queue-models.js';

/** Reads a PNG or JPEG as Base64. @throws ModelError with 422 for a damaged picture */
export const run: RunModel<DemoOcrInput, DemoOcrOutput> = async ({ image }, context) => {
  const engine = await loadEngine();
  context.log('reading the picture');
  const worker = await engine.createWorker('eng', 1, {
    langPath: languageFolder(),
    cacheMethod: 'none',
    // without a handler the worker throws an uncaught error; the call is rejected in either case
    errorHandler: () => undefined,
  });
  const stop = (): void => void worker.terminate();
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    const { data } = await worker
      .recognize(toBytes(image), {}, { text: true, blocks: true })
      .catch((error: unknown) => {
        throw context.signal.aborted ? error : unreadableImage();
      });
    const lines = (data.blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap(({ lines }) => lines));
    return {
      text: data.text.trim(),
      confidence: data.confidence,
      lines: lines.map(({ text, confidence }) => ({ text: text.trim(), confidence })),
    };
  } finally {
    context.signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
};

/** The engine is local, so that only the image can make it fail. */
const unreadableImage = (): ModelError =>
  new ModelError(422, {
    detail: [{ loc: ['body', 'image'], msg: 'the image is damaged and cannot be read', type: 'value_error' }],
  });

const loadEngine = async () => {
  try {
    return await import('tesseract.js');
  } catch (error) {
    throw new Error('demo/ocr needs the package tesseract.js; "npm install tesseract.js" adds it', {
      cause: error,
    });
  }
};

const languageFolder = (): string =>
  join(
    dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json')),
    '4.0.0_best_int',
  );

const toBytes = (image: string): Buffer =>
  Buffer.from(image.slice(image.startsWith('data:') ? image.indexOf(',') + 1 : 0), 'base64');
