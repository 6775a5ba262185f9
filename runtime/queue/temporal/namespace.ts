/** Prepares a namespace of Temporal for the queue: its search attributes and schedules. */
import { ScheduleOverlapPolicy, type Client } from '@temporalio/client';
import { searchAttributes, taskQueues } from '../contract.js';
import { missingAttributes } from './search-attributes.js';

/** Milliseconds until a namespace is prepared again. */
const prepareInterval = 60_000;

/**
 * Prepares a namespace, now and every minute, because a Temporal that has lost its data has no schedules.
 * @returns a function that ends this
 */
export const keepPrepared = async (
  client: Client,
  namespace: string,
  { onWarning, interval = prepareInterval }: PrepareOptions,
): Promise<() => void> => {
  await prepareNamespace(client, namespace, onWarning);
  const timer = setInterval(() => {
    // what fails is repeated, and a permission that is missing was reported at the start
    prepareNamespace(client, namespace, () => undefined).catch(() => undefined);
  }, interval).unref();
  return () => clearInterval(timer);
};

interface PrepareOptions {
  readonly onWarning: (message: string) => void;
  /** Milliseconds; a minute by default. */
  readonly interval?: number;
}

/** Creates the search attributes and schedules; without permission for the attributes, the queue works without them. */
const prepareNamespace = async (
  client: Client,
  namespace: string,
  onWarning: (message: string) => void,
): Promise<void> => {
  const missing = await missingAttributes(client, namespace);
  if (missing.length > 0) await addSearchAttributes(client, { namespace, missing, onWarning });
  await ensureSchedule(client, 'svc-sweep', { workflow: 'sweep', every: '10s' });
  await ensureSchedule(client, 'svc-expire', { workflow: 'expire', every: '1h' });
};

/** Values of `temporal.api.enums.v1.IndexedValueType`. */
const indexedTypes = { KEYWORD: 2, INT: 3 } as const;

interface AttributeOptions {
  readonly namespace: string;
  readonly missing: readonly (keyof typeof searchAttributes)[];
  readonly onWarning: (message: string) => void;
}

const addSearchAttributes = async (
  client: Client,
  { namespace, missing, onWarning }: AttributeOptions,
): Promise<void> => {
  const required = missing.map((name) => [name, searchAttributes[name]] as const);
  try {
    await client.connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(required.map(([name, type]) => [name, indexedTypes[type]])),
    });
  } catch {
    const names = required.map(
      ([name, type]) => `--name ${name} --type ${type === 'INT' ? 'Int' : 'Keyword'}`,
    );
    onWarning(
      'workflows are not searchable by model and account; an operator of Temporal adds that with: ' +
        `temporal operator search-attribute create --namespace ${namespace} ${names.join(' ')}`,
    );
  }
};

const ensureSchedule = async (
  client: Client,
  scheduleId: string,
  { workflow, every }: { readonly workflow: string; readonly every: '10s' | '1h' },
): Promise<void> => {
  try {
    await client.schedule.create({
      scheduleId,
      spec: { intervals: [{ every }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1m' },
      action: {
        type: 'startWorkflow',
        workflowType: workflow,
        workflowId: scheduleId,
        taskQueue: taskQueues.housekeeping,
        args: [],
      },
    });
  } catch (error) {
    if ((error as Error).name !== 'ScheduleAlreadyRunning') throw error;
  }
};
