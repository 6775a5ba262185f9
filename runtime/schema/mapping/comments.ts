/** Maps comments to another database. Pure. */
import type { SchemaMapping } from './types.js';

/** Returns what the target keeps of a comment. */
export const mapComment = (
  comment: string | null | undefined,
  { hasComments, replacedCharacters }: SchemaMapping,
  lose: (loss: string) => void,
): string | null => {
  if (comment === undefined || comment === null || comment === '') return comment ?? null;
  if (!hasComments) lose('its comment');
  if (!hasComments || replacedCharacters === null) return hasComments ? comment : null;
  const kept = comment.replaceAll(replacedCharacters, '?');
  if (kept !== comment) lose('its comment has question marks for characters of four bytes');
  return kept;
};
