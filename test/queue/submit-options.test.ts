/** Options of submissions, with limits tested from both sides. */
import { describe, expect, it } from 'vitest';
import { readSubmitOptions } from '../../runtime/queue/http/submit-options.js';
import { QueueError } from '../../runtime/queue/requests/queue-error.js';
import type { ApiRequest } from '../../runtime/request/api-request.js';

const policy = { allowed: [], http: false };

const read = (headers: Readonly<Record<string, string>>, query = '') =>
  readSubmitOptions({ query, headers } as unknown as ApiRequest, policy);

/** Where it is refused: what of the submission. */
const refusalOf = (headers: Readonly<Record<string, string>>, query = ''): unknown => {
  try {
    return read(headers, query);
  } catch (error) {
    if (!(error instanceof QueueError) || typeof error.detail === 'string') throw error;
    return error.detail.map(({ loc }) => loc.at(-1));
  }
};

const day = 86_400;
const pairs = (count: number) => Array.from({ length: count }, (_, each) => `k${each}=v`).join();

/** Four tags of so many characters together. */
const tagsOf = (length: number): string => {
  const text = [0, 1, 2].map((each) => `k${each}=${'v'.repeat(252)},`).join('');
  return `${text}k3=${'v'.repeat(length - text.length - 3)}`;
};

describe('a submission', () => {
  it('has no options by default', () => {
    expect(read({})).toEqual({
      webhook: null,
      maxQueueLength: null,
      idempotencyKey: null,
      startTimeout: null,
      priority: 0,
      retry: true,
      storeIo: true,
      filesTtl: null,
      tags: null,
      traceparent: null,
    });
  });

  it('may have parameters of its caller, but none that is misspelled', () => {
    expect(refusalOf({}, 'page=1&x-svc=2')).toMatchObject({ webhook: null });
    expect(refusalOf({}, 'svc_webhok=https://example.com&SVC_Max=1')).toEqual(['svc_webhok', 'SVC_Max']);
  });

  it.each<[Record<string, string>, object]>([
    [{ 'idempotency-key': 'x'.repeat(255) }, { idempotencyKey: 'x'.repeat(255) }],
    [{ 'x-svc-request-start-timeout': '0.11' }, { startTimeout: 0.11 }],
    [{ 'x-svc-request-start-timeout': '5', 'x-svc-request-timeout': '9' }, { startTimeout: 5 }],
    [{ 'x-svc-request-timeout': '9' }, { startTimeout: 9 }],
    [{ 'x-svc-request-timeout': `${8 * day}` }, { startTimeout: 7 * day }],
    [{ 'x-svc-queue-priority': 'low' }, { priority: -1 }],
    [{ 'x-svc-queue-priority': 'high' }, { priority: 0 }],
    [{ 'x-svc-no-retry': 'TRUE' }, { retry: false }],
    [{ 'x-svc-no-retry': '0' }, { retry: true }],
    [{ 'x-svc-store-io': '0' }, { storeIo: false }],
    [{ 'x-svc-object-lifecycle-preference': '{"expiration_duration_seconds":1}' }, { filesTtl: 1 }],
    [{ 'x-svc-object-lifecycle-preference': '{}' }, { filesTtl: null }],
    [
      { 'x-svc-object-lifecycle-preference': '{"expiration_duration_seconds":9999999999}' },
      { filesTtl: 2_147_483_647 },
    ],
    [{ 'x-svc-tags': ' team=a b,x.y_z-1=' }, { tags: '{"team":"a b","x.y_z-1":""}' }],
    [{ 'x-svc-tags': `k=${'v'.repeat(256)}` }, { tags: `{"k":"${'v'.repeat(256)}"}` }],
  ])('accepts options in case %#', (headers, expected) => {
    expect(read(headers)).toMatchObject(expected);
  });

  it.each<[string, object]>([
    ['svc_webhook=https://example.com', { webhook: 'https://example.com/' }],
    ['svc_max_queue_length=0', { maxQueueLength: 0 }],
    ['svc_max_queue_length=999999999', { maxQueueLength: 999_999_999 }],
  ])('accepts ?%s', (query, expected) => {
    expect(read({}, query)).toMatchObject(expected);
  });

  it.each<[string, string, string]>([
    ['an empty key', 'Idempotency-Key', ''],
    ['a key of 256 characters', 'Idempotency-Key', 'x'.repeat(256)],
    ['a tenth of a second', 'X-Svc-Request-Start-Timeout', '0.1'],
    ['no time', 'X-Svc-Request-Start-Timeout', ' '],
    ['a time that is no number', 'X-Svc-Request-Start-Timeout', 'soon'],
    ['files for no second', 'X-Svc-Object-Lifecycle-Preference', '{"expiration_duration_seconds":0}'],
    ['files for half a second', 'X-Svc-Object-Lifecycle-Preference', '{"expiration_duration_seconds":0.5}'],
    ['a list', 'X-Svc-Object-Lifecycle-Preference', '[]'],
    ['null', 'X-Svc-Object-Lifecycle-Preference', 'null'],
    ['what is not JSON', 'X-Svc-Object-Lifecycle-Preference', '{'],
    ['eleven tags', 'X-Svc-Tags', pairs(11)],
    ['a tag in capitals', 'X-Svc-Tags', 'Upper=1'],
    ['a tag of ours', 'X-Svc-Tags', 'svc.own=1'],
    ['a tag with a key of 65 characters', 'X-Svc-Tags', `${'k'.repeat(65)}=v`],
    ['a tag of 257 characters', 'X-Svc-Tags', `k=${'v'.repeat(257)}`],
    ['tags of more than 1024 characters', 'X-Svc-Tags', tagsOf(1_025)],
  ])('rejects %s', (_, name, text) => {
    expect(refusalOf({ [name.toLowerCase()]: text })).toEqual([name]);
  });

  it('accepts tags of 1024 characters', () => {
    expect(read({ 'x-svc-tags': tagsOf(1_024) }).tags).toContain('"k3":"vvv');
  });

  it.each(['-1', '1.5', '1000000000', 'many'])('rejects svc_max_queue_length=%s', (length) => {
    expect(refusalOf({}, `svc_max_queue_length=${length}`)).toEqual(['svc_max_queue_length']);
  });

  it('reports all problems at once', () => {
    expect(refusalOf({ 'x-svc-tags': '', 'idempotency-key': '' }, 'svc_webhook=http://10.0.0.1')).toEqual([
      'svc_webhook',
      'Idempotency-Key',
      'X-Svc-Tags',
    ]);
  });

  it('accepts up to ten tags', () => {
    expect(Object.keys(JSON.parse(read({ 'x-svc-tags': pairs(10) }).tags ?? '') as object)).toHaveLength(10);
  });
});
