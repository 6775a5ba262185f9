/** Checks a value that an operation writes to a field by itself, without the payload of an item. */
import { requireField, type Collection } from '../../contract/collection.js';
import { invalidPayload } from '../../contract/errors.js';
import { evaluateFilter } from '../plan/filter-evaluation.js';
import { createMatcher } from '../plan/matcher.js';
import { parseFilter } from '../request/filter.js';

/** Operands are constants here: there is no caller whose variables they could be. */
const resolve = (operand: unknown): unknown => operand;

/** Checks a value against the validation of its field. @throws INVALID_PAYLOAD with the message of the validation */
export const requireFieldValue = (collection: Collection, name: string, value: unknown): void => {
  const { validation = {}, validationMessage = `"${name}" is not valid` } = requireField(collection, name);
  const values: unknown[] = [];
  const filter = parseFilter(validation, values);
  const payload = new Map([[name, value]]);
  const context = { collection, payload, nullPasses: true, resolve, matches: createMatcher(), values };
  if (evaluateFilter(filter, context).length > 0) throw invalidPayload(validationMessage);
};
