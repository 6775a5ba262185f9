/** Search attributes of svc: whether a namespace has them, and their values for a workflow. */
import type { Client } from '@temporalio/client';
import type { TypedSearchAttributes } from '@temporalio/common';
import { searchAttributes } from '../contract.js';

/** Returns whether the namespace has the search attributes of svc, without which the queue works as well. */
export type Searchable = () => Promise<boolean>;

/** Checks at most every `interval` milliseconds until the attributes exist, because a worker may add them later. */
export const watchSearchable = (client: Client, namespace: string, interval = 30_000): Searchable => {
  let known: Promise<boolean> | null = null;
  const check = async (): Promise<boolean> => {
    const isComplete = (await missingAttributes(client, namespace)).length === 0;
    if (!isComplete) setTimeout(() => (known = null), interval).unref();
    return isComplete;
  };
  return () => (known ??= check());
};

/** Returns the search attributes that the namespace lacks; all of them if they cannot be listed. */
export const missingAttributes = async (
  client: Client,
  namespace: string,
): Promise<readonly (keyof typeof searchAttributes)[]> => {
  const known = await client.connection.operatorService
    .listSearchAttributes({ namespace })
    .then(({ customAttributes }) => customAttributes)
    .catch(() => ({}));
  const names = Object.keys(searchAttributes) as (keyof typeof searchAttributes)[];
  return names.filter((name) => !(name in known));
};

/** Returns typed search attributes; null values are omitted. */
export const attributesOf = async (
  values: Readonly<Partial<Record<keyof typeof searchAttributes, string | null>>>,
): Promise<TypedSearchAttributes> => {
  const { defineSearchAttributeKey, TypedSearchAttributes } = await import('@temporalio/common');
  return new TypedSearchAttributes(
    Object.entries(values).flatMap(([name, value]) =>
      value === null ? [] : [{ key: defineSearchAttributeKey(name, 'KEYWORD'), value }],
    ),
  );
};
