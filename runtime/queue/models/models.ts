/** Indexes the models by id. */
import { createHash } from 'node:crypto';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';

export interface QueueModels {
  readonly all: readonly QueueModelDeclaration[];
  /** Classes of the models, without duplicates. */
  readonly classes: readonly string[];
  find(id: string): QueueModelDeclaration | undefined;
}

export const createQueueModels = (all: readonly QueueModelDeclaration[]): QueueModels => {
  const byId = new Map(all.map((model) => [model.id, model]));
  return { all, classes: [...new Set(all.map((model) => model.class))], find: (id) => byId.get(id) };
};

/** Returns a hash of the input that a model accepts, by which processes of different deployments tell theirs apart. */
export const inputVersion = ({ input }: Pick<QueueModelDeclaration, 'input'>): string =>
  createHash('sha256').update(JSON.stringify(input)).digest('base64url').slice(0, 16);
