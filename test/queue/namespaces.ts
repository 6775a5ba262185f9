/** Namespaces of Temporal for tests. */
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { until } from '../until.js';

const open: string[] = [];

// most files need none, and the client takes long to load
const connect = async () => {
  const { Client, Connection } = await import('@temporalio/client');
  const connection = await Connection.connect({ address: inject('services').temporal });
  return { connection, clientOf: (namespace: string) => new Client({ connection, namespace }) };
};

/** Creates a namespace, so that workers of other tests take nothing away; its schedules end with the file of the test. */
export const createNamespace = async (): Promise<string> => {
  const namespace = `test-${randomUUID()}`;
  const { connection } = await connect();
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await until(
    () => connection.workflowService.listWorkflowExecutions({ namespace, pageSize: 1 }).catch(() => null),
    { what: `the namespace ${namespace} is known` },
  );
  await connection.close();
  open.push(namespace);
  return namespace;
};

/** Deletes the schedules of the namespaces that were created: those of a whole run keep Temporal busy otherwise. */
export const deleteSchedules = async (): Promise<void> => {
  if (open.length === 0) return;
  const { connection, clientOf } = await connect();
  for (const namespace of open.splice(0)) {
    const { schedule } = clientOf(namespace);
    for (const id of ['svc-sweep', 'svc-expire'])
      await schedule
        .getHandle(id)
        .delete()
        .catch(() => undefined); // no server or worker has prepared the namespace
  }
  await connection.close();
};
