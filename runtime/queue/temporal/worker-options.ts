/** The options of Temporal's workers by role: activities, workflows, limits and grace. */
import { existsSync } from 'node:fs';
import type { WorkerOptions } from '@temporalio/worker';
import { createHousekeepingActivities } from './activities/housekeeping.js';
import { createModelActivities } from './activities/model.js';
import { createRequestActivities } from './activities/request.js';
import { createSchemaActivities } from './activities/schema.js';
import { createWebhookActivities } from './activities/webhook.js';
import { taskQueues } from '../contract.js';
import { createFunctionRunner } from '../models/function-runner.js';
import { createRunner } from '../models/run-model.js';
import type { WorkerProcessOptions, WorkerRole, WorkerServices } from './worker-services.js';

/** Returns the task queues of a role. */
export const queuesOf = (role: WorkerRole, options: WorkerProcessOptions): readonly string[] =>
  role === 'models' ? classesOf(options).map(taskQueues.models) : [taskQueues[role]];

/** Returns the classes of the models that the process runs. */
export const classesOf = ({ roles, models, classes }: WorkerProcessOptions): readonly string[] =>
  roles.includes('models') ? (classes ?? models.classes) : [];

/** Returns the options of the worker that serves a task queue for a role. */
export const toWorkerOptions = (
  taskQueue: string,
  role: WorkerRole,
  services: WorkerServices,
): WorkerOptions => ({
  taskQueue,
  identity: services.worker,
  activities: trackActivities(activitiesOf[role](services), services.track),
  ...shutdownOf(role === 'models' ? services.settings.drain : otherGrace),
  // limits the delay of cancellations, which heartbeats deliver
  maxHeartbeatThrottleInterval: '1s',
  defaultHeartbeatThrottleInterval: '1s',
  activityTaskPollerBehavior: { type: 'autoscaling' },
  ...(role === 'models' && services.slots !== undefined && limitActivities(services.slots)),
  ...(role === 'webhooks' && limitConcurrency(maxConcurrentAttempts)),
  ...(role !== 'models' && workflowsOf(services)),
});

/**
 * Maximum concurrent deliveries of a process, including those that wait for a place; the limits per account and receiver are
 * much lower.
 */
const maxConcurrentAttempts = 512;

/** Milliseconds that activities other than models have to end when a worker stops; they are short. */
const otherGrace = 10_000;
/** Milliseconds that activities have to end after their grace, when they are cancelled. */
const cancelGrace = 10_000;

const shutdownOf = (grace: number): Partial<WorkerOptions> => ({
  shutdownGraceTime: grace,
  shutdownForceTime: grace + cancelGrace,
});

const limitActivities = (maxTasks: number): Partial<WorkerOptions> => ({
  maxConcurrentActivityTaskExecutions: maxTasks,
});

/** Limits workflow tasks as well, because first delivery attempts run as local activities within them. */
const limitConcurrency = (maxTasks: number): Partial<WorkerOptions> => ({
  ...limitActivities(maxTasks),
  maxConcurrentLocalActivityExecutions: maxTasks,
  maxConcurrentWorkflowTaskExecutions: maxTasks,
});

const activitiesOf: Readonly<Record<WorkerRole, (services: WorkerServices) => object>> = {
  workflows: createRequestActivities,
  models: (services) =>
    createModelActivities({
      ...services,
      run: createRunner({
        runFunction: createFunctionRunner(services.children),
        runBuiltIn: services.runBuiltIn,
      }),
    }),
  webhooks: createWebhookActivities,
  housekeeping: ({ settings, ...services }) => ({
    ...createHousekeepingActivities({ ...services, ...settings }),
    ...createSchemaActivities(services),
  }),
};

type Activities = Readonly<Record<string, (...args: never[]) => unknown>>;

const trackActivities = (activities: object, track: WorkerProcessOptions['track'] = () => () => {}): object =>
  Object.fromEntries(
    Object.entries(activities as Activities).map(([name, activity]) => [
      name,
      async (...args: never[]): Promise<unknown> => {
        const finish = track(name);
        try {
          return await activity(...args);
        } finally {
          finish();
        }
      },
    ]),
  );

const workflowsOf = ({ workflowBundle }: WorkerProcessOptions): Partial<WorkerOptions> =>
  workflowBundle === undefined || !existsSync(workflowBundle)
    ? { workflowsPath: new URL(`workflows/index${extension}`, import.meta.url).pathname }
    : { workflowBundle: { codePath: workflowBundle } };

const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
