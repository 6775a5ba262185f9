/** Tells Temporal that an activity still runs. */
import { Context } from '@temporalio/activity';

/** Milliseconds; a fraction of the heartbeat timeouts of the workflows. */
const interval = 2_000;

/** Sends heartbeats while an activity runs, so that Temporal notices within seconds that its worker has died. */
export const withHeartbeat = async <Result>(body: () => Promise<Result>): Promise<Result> => {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), interval);
  try {
    return await body();
  } finally {
    clearInterval(timer);
  }
};
