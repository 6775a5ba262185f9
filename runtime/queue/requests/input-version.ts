/** Tells apart what processes of different deployments accept. */
import { createHash } from 'node:crypto';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';

/** Returns a hash of the input that a model accepts. */
export const inputVersion = ({ input }: Pick<QueueModelDeclaration, 'input'>): string =>
  createHash('sha256').update(JSON.stringify(input)).digest('base64url').slice(0, 16);
