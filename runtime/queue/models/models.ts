/** Indexes the models by id. */
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';

export interface QueueModels {
  readonly all: readonly QueueModelDeclaration[];
  /** Classes of the models, without duplicates. */
  readonly classes: readonly string[];
  find(id: string): QueueModelDeclaration | undefined;
}

/** Indexes models by id; of two with the same id, the last one is used. */
export const createQueueModels = (all: readonly QueueModelDeclaration[]): QueueModels => {
  const byId = new Map(all.map((model) => [model.id, model]));
  return { all, classes: [...new Set(all.map((model) => model.class))], find: (id) => byId.get(id) };
};
