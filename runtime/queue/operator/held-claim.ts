/** Keeps the claim of a process on an action while it works, so that no other process takes the action over. */
import type { Database } from '../../databases/contract.js';
import { renewClaim, type ActionClaim, type Progress } from '../store/operator-actions.js';

/** Milliseconds without a heartbeat after which another process may take an action over. */
export const takeOverAfter = 30_000;
/** Milliseconds between the heartbeats of a process. */
const renewInterval = 10_000;

export interface HeldClaim {
  /** Returns whether no other process can have taken the action over. Once false, it stays so. */
  isHeld(): boolean;
  /** Records progress. @returns false if the claim is void */
  record(progress: Progress): Promise<boolean>;
  /** Ends the heartbeats. */
  stop(): void;
}

interface HeldClaimOptions {
  readonly database: Database;
  readonly onError: (error: unknown) => void;
}

/** Sends a heartbeat every ten seconds until it is stopped, beginning with a claim that was made just now. */
export const holdClaim = (claim: ActionClaim, { database, onError }: HeldClaimOptions): HeldClaim => {
  let latest = claim;
  let shown = claim.seen;
  let isVoid = false;
  let last = Promise.resolve();
  const renew = async (progress?: Progress): Promise<void> => {
    if (isVoid) return;
    const begun = Date.now();
    const renewed = await renewClaim(database, latest, progress);
    if (renewed === null) isVoid = true;
    else [latest, shown] = [renewed, begun];
  };
  // one after another, because each replaces the value that the next has to find
  const queueRenewal = (progress?: Progress): Promise<void> => {
    const renewal = last.then(() => renew(progress));
    last = renewal.catch(() => undefined);
    return renewal;
  };
  const timer = setInterval(() => void queueRenewal().catch(onError), renewInterval).unref();
  return {
    isHeld() {
      // a process that stood still, or could not reach the database, may have been replaced without knowing it
      if (Date.now() - shown >= takeOverAfter) isVoid = true;
      return !isVoid;
    },
    async record(progress) {
      await queueRenewal(progress);
      return !isVoid;
    },
    stop: () => clearInterval(timer),
  };
};
