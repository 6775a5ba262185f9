/** Keeps HTTP agents by account and receiver, so that accounts never share a connection. */
import { LRUCache } from 'lru-cache';
import type { Agent } from 'undici';
import { createReceiverAgent, type Resolve } from './connector.js';
import type { TargetPolicy } from './target.js';

export interface Agents {
  of(account: string, url: string): Agent;
  close(): Promise<void>;
}

export interface AgentsOptions {
  readonly policy: TargetPolicy;
  readonly resolve?: Resolve;
}

const maxAgents = 256;

/** Creates an empty store; connections are kept a while after their last use. */
export const createAgents = (options: AgentsOptions): Agents => {
  const agents = new LRUCache<string, Agent>({
    max: maxAgents,
    memoMethod: () => createReceiverAgent(options),
    // after its requests have ended
    dispose: (agent) => void agent.close(),
  });

  return {
    of: (account, url) => agents.memo(`${account} ${new URL(url).origin}`),
    async close() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
};
