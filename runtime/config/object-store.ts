/** The address of an S3-compatible store of files. */
import type { Parse } from './values.js';

export interface ObjectStoreAddress {
  /** URL of the folder in the bucket, without a slash at its end. */
  readonly url: string;
  /** The same as clients reach it. */
  readonly publicUrl: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const example = 'https://key:secret@host/bucket/prefix?region=eu-central-1';

/** Parses `https://key:secret@host/bucket/prefix?region=…&public=…`; faults never contain the secret. */
export const parseObjectStore: Parse<ObjectStoreAddress> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error(`is not a URL; expected ${example}`);
  if (url.username === '' || url.password === '')
    throw new Error(`has no key and secret; expected ${example}`);
  const path = url.pathname.replace(/\/+$/, '');
  if (path === '') throw new Error(`does not name a bucket; expected ${example}`);
  const unknown = [...url.searchParams.keys()].filter((name) => name !== 'region' && name !== 'public');
  if (unknown.length > 0) throw new Error(`has "${unknown.join('", "')}"; expected region and public only`);
  return {
    url: url.origin + path,
    publicUrl: (url.searchParams.get('public')?.replace(/\/+$/, '') ?? url.origin) + path,
    region: url.searchParams.get('region') ?? 'us-east-1',
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
  };
};
