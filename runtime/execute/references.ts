/**
 * Checks the keys that a payload sets on relations: one statement for each target collection, before anything is written. A
 * row that the caller may not read gets the error of one that does not exist.
 */
import type { Collection, Field } from '../../contract/collection.js';
import { throwProblems, type ApiError } from '../../contract/errors.js';
import { fromStoredKey } from '../plan/many-to-any-payload.js';
import type { Scalar } from '../plan/parsed-value.js';
import type { PayloadLocation } from '../plan/problem-collection.js';
import { storedFields, type ReferenceCheck } from '../plan/references.js';
import {
  isOwnerOperand,
  type CreatePlan,
  type Key,
  type ListPlan,
  type ListRow,
  type UpdatePlan,
  type WriteRow,
} from '../plan/write-plan.js';
import { countTuples, findMissing, readTuple, type Tuple } from './constraint-violations.js';
import { brokenReferenceError } from './failures.js';
import type { RowsContext } from './row-locks.js';
import { readStored } from './stored-checks.js';
import { distinctKeys, findStoredKeys, hasAlternativeSpellings, keyText } from './stored-keys.js';

/** A key that a row sets on a relation. */
interface Reference {
  readonly collection: Collection;
  readonly check: ReferenceCheck;
  readonly row: ListRow;
  /** Where the row is in the payload. */
  readonly location: PayloadLocation;
  /** The rows that an update sets it on; `null` for a new row. */
  readonly keys: readonly Key[] | null;
}

interface WrittenPlans {
  readonly creates?: readonly CreatePlan<ListRow>[];
  readonly updates?: readonly KeyedUpdate[];
}

interface KeyedUpdate {
  readonly plan: UpdatePlan<ListRow>;
  readonly keys: readonly Key[];
}

/**
 * Checks the references of a payload, except those of lists that depend on the owner or on the stored row.
 * @throws INVALID_FOREIGN_KEY for every reference to a missing or hidden row
 */
export const requireReferences = async (
  { creates = [], updates = [] }: WrittenPlans,
  context: RowsContext,
): Promise<void> => {
  const lists = [...creates, ...updates.map(({ plan }) => plan)].flatMap((plan) => plan.lists);
  const own = [...creates.flatMap(referencesOfCreate), ...updates.flatMap(referencesOfUpdate)];
  const references = [...own, ...lists.flatMap(referencesOfList).filter(isComplete)];
  if (references.length === 0) return;
  const isCreated = findCreated([...creates, ...lists.flatMap(createsOf)]);
  await requireReadable(
    references.filter((each) => !isCreated(each)),
    context,
  );
};

/** Checks the references of rows of a list that `requireReferences` leaves out. @throws as `requireReferences` */
export const requireListReferences = async (
  planned: WrittenPlans,
  bound: WrittenPlans,
  context: RowsContext,
): Promise<void> => {
  const { creates = [], updates = [] } = bound;
  const references = [...creates.flatMap(referencesOfCreate), ...updates.flatMap(referencesOfUpdate)];
  if (references.length === 0) return;
  const all = [
    ...(planned.creates ?? []).flatMap(referencesOfCreate),
    ...(planned.updates ?? []).flatMap(referencesOfUpdate),
  ];
  const incomplete = references.filter((_, index) => !isComplete(all[index] as Reference));
  await requireReadable(incomplete, context);
};

const referencesOfCreate = ({
  collection,
  rows,
  locations,
  references,
}: CreatePlan<ListRow>): readonly Reference[] =>
  references.map(({ rowIndex, check }) => ({
    collection,
    check,
    row: rows[rowIndex] as ListRow,
    location: locations[rowIndex] as PayloadLocation,
    keys: null,
  }));

const referencesOfUpdate = ({
  plan: { collection, row, location, references },
  keys,
}: KeyedUpdate): readonly Reference[] =>
  references.map((check) => ({ collection, check, row, location, keys }));

const referencesOfList = ({ creates, updates }: ListPlan): readonly Reference[] => [
  ...updates.flatMap(({ key, update }) =>
    update === null
      ? []
      : [...referencesOfUpdate({ plan: update, keys: [key] }), ...update.lists.flatMap(referencesOfList)],
  ),
  ...(creates === null ? [] : [...referencesOfCreate(creates), ...creates.lists.flatMap(referencesOfList)]),
];

const createsOf = ({ creates, updates }: ListPlan): readonly CreatePlan<ListRow>[] => [
  ...updates.flatMap(({ create }) => (create === null || 'problems' in create ? [] : create)),
  ...updates.flatMap(({ update }) => update?.lists.flatMap(createsOf) ?? []),
  ...(creates === null ? [] : [creates, ...creates.lists.flatMap(createsOf)]),
];

/** Returns whether the payload determines the whole key. */
const isComplete = ({ check: { relation }, row }: Reference): boolean =>
  relation.fields.every((name) => row.has(name) && !isOwnerOperand(row.get(name) ?? null));

/** Returns a test of whether a reference is to a row that the same payload creates. */
const findCreated = (plans: readonly CreatePlan<ListRow>[]): ((reference: Reference) => boolean) => {
  const tuplesOf = new Map<string, ReadonlySet<string>>();
  return ({ check: { relation }, row }) => {
    const { collection, fields, references } = relation;
    const id = JSON.stringify([collection.name, references]);
    let tuples = tuplesOf.get(id);
    if (tuples === undefined) {
      const rows = plans.filter((plan) => plan.collection === collection).flatMap((plan) => plan.rows);
      tuplesOf.set(id, (tuples = new Set(rows.flatMap((each) => tupleText(each, references) ?? []))));
    }
    return tuples.has(tupleText(row, fields) ?? '');
  };
};

/** Returns the text of the values of fields, or null where one is missing, null, or the owner's. */
const tupleText = (row: ListRow, names: readonly string[]): string | null => {
  const values = names.map((name) => row.get(name) ?? null);
  return values.some((value) => value === null || isOwnerOperand(value)) ? null : JSON.stringify(values);
};

/** A reference with its whole key. */
interface CompleteReference extends Reference {
  readonly reference: Reference;
  readonly tuple: Tuple;
  /** The values of the referring row. */
  readonly stored: Tuple;
}

const requireReadable = async (references: readonly Reference[], context: RowsContext): Promise<void> => {
  const complete: CompleteReference[] = [];
  const broken = new Set<Reference>();
  for (const reference of references)
    complete.push(...(await completeReference(reference, { broken, context })));
  for (const group of groupByTarget(complete)) {
    const unreadable = await findUnreadable(group, context);
    for (const each of unreadable) if (!(await isStored(each, context))) broken.add(each.reference);
  }
  throwProblems([...broken].map(referenceError));
};

interface Completion {
  /** Receives a reference that cannot be the key of a row. */
  readonly broken: Set<Reference>;
  readonly context: RowsContext;
}

/** Returns the reference with its whole key; a row without a reference yields none. */
const completeReference = async (
  reference: Reference,
  { broken, context }: Completion,
): Promise<readonly CompleteReference[]> => {
  const { collection, check, row, keys } = reference;
  const { relation } = check;
  const fields = fieldsOf(collection, storedFields(relation));
  const missing = fields.filter(({ name }) => !row.has(name));
  const rows =
    missing.length === 0 || keys === null
      ? [row]
      : (await readStored(collection, { columns: missing, keys }, context)).map(
          ({ values }) => new Map([...values, ...row]),
        );
  return rows.flatMap((each) => {
    const stored = readTuple(each as WriteRow, fields);
    if (stored === null) return [];
    const tuple: readonly (Scalar | null)[] =
      relation.anyOf === undefined ? stored : [fromStoredKey(relation, stored[0] as Scalar)];
    if (tuple.includes(null)) {
      broken.add(reference);
      return [];
    }
    return [{ ...reference, reference, tuple: tuple as Tuple, stored }];
  });
};

const fieldsOf = (collection: Collection, names: readonly string[]): readonly Field[] =>
  names.flatMap((name) => collection.fields.get(name) ?? []);

const groupByTarget = (
  references: readonly CompleteReference[],
): readonly (readonly CompleteReference[])[] => {
  const groups = new Map<string, CompleteReference[]>();
  for (const reference of references) {
    const { target, references: names } = reference.check.relation;
    const key = JSON.stringify([target, names]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [reference]);
    else group.push(reference);
  }
  return [...groups.values()];
};

/** Returns the references whose rows are missing or hidden. */
const findUnreadable = async (
  group: readonly CompleteReference[],
  context: RowsContext,
): Promise<readonly CompleteReference[]> => {
  const { check } = group[0] as CompleteReference;
  const missing = await findMissingTuples(check, distinctKeys(group.map(({ tuple }) => tuple)), context);
  const texts = new Set(missing.map(keyText));
  return group.filter(({ tuple }) => texts.has(keyText(tuple)));
};

const findMissingTuples = async (
  { relation, readable: where }: ReferenceCheck,
  tuples: readonly Tuple[],
  context: RowsContext,
): Promise<readonly Tuple[]> => {
  const { collection, anyOf } = relation;
  if (anyOf !== undefined && hasAlternativeSpellings(collection)) {
    // the item is found by exactly the text that is stored
    const stored = await findStoredKeys({ collection, where }, tuples, context);
    return tuples.filter((key) => keyText(stored.get(keyText(key)) ?? []) !== keyText(key));
  }
  const fields = fieldsOf(collection, relation.references);
  return findMissing(tuples, { collection, fields, where }, context);
};

/** Returns whether every row of an update has the key already, in fields that the caller may read. */
const isStored = async (
  { collection, check, stored, keys }: CompleteReference,
  context: RowsContext,
): Promise<boolean> => {
  if (keys === null) return false;
  const fields = [...collection.key, ...fieldsOf(collection, storedFields(check.relation))];
  const tuples = keys.map((key) => [...key, ...stored]);
  const where = check.readableStored;
  return (await countTuples(collection, { fields, tuples, where }, context)) === keys.length;
};

const referenceError = ({ collection, check, row, location }: Reference): ApiError =>
  brokenReferenceError(collection.fields.get(check.relation.fields[0] ?? ''), {
    collection,
    rows: [row as WriteRow],
    locations: [location],
  });
