/** Writes the page of one collection. */
import type { Collection, Relation } from '../../model/types.js';
import { code, codeBlock, link, page, paragraph, table, text } from '../../print/markdown.js';
import { fieldTable, filterTable, toSentence } from './fields.js';

export type FileOf = (collection: string) => string | null;

/**
 * Returns the page in Markdown. `fileOf` names the pages of related collections; those without one are not
 * linked.
 */
export const collectionPage = (collection: Collection, fileOf: FileOf): string => {
  const { name, kind, note, key, relations } = collection;
  const keyText = key.length === 0 ? 'It has no key.' : `Its key is ${key.map(code).join(', ')}.`;
  return page([
    `# ${text(name)}`,
    ...(note === null ? [] : [paragraph(toSentence(note))]),
    `The ${kind} ${code(name)}. ${keyText}`,
    '## Fields',
    fieldTable(collection),
    ...(relations.length === 0 ? [] : ['## Relations', relationTable(relations, fileOf)]),
    ...endpoints(collection),
    '## Filters',
    filterTable(collection),
  ]);
};

const relationTable = (relations: readonly Relation[], fileOf: FileOf): string =>
  table(
    ['Name', 'Kind', 'Target', 'Columns'],
    relations.map((relation) => [code(relation.name), ...relationCells(relation, fileOf)]),
  );

const relationCells = (relation: Relation, fileOf: FileOf): string[] => {
  if (relation.kind === 'manyToAny') {
    const targets = relation.targets.map((target) => linkTo(target, fileOf)).join(', ');
    return ['many to any', targets, `${code(relation.field)}, by ${code(relation.collectionField)}`];
  }
  const through = relation.kind === 'oneToMany' && relation.junctionField !== null;
  const kind = relation.kind === 'manyToOne' ? 'many to one' : through ? 'many to many' : 'one to many';
  const pairs = relation.fields.map(
    (own, index) => `${code(own)} = ${code(relation.targetFields[index] ?? '')}`,
  );
  const target = linkTo(relation.target, fileOf);
  return [kind, through ? `${target}, then ${code(relation.junctionField ?? '')}` : target, pairs.join(', ')];
};

const linkTo = (collection: string, fileOf: FileOf): string => {
  const file = fileOf(collection);
  return file === null ? code(collection) : link(collection, `${file}.md`);
};

const endpoints = (collection: Collection): string[] => {
  const { path } = collection;
  if (path === null) return ['## Endpoints', 'This collection is not served over REST.'];
  return [
    '## Endpoints',
    table(['Request', 'Description'], endpointRows(collection, path)),
    codeBlock('sh', `curl -g -H "Authorization: Bearer $TOKEN" "$URL${path}${exampleQuery(collection)}"`),
  ];
};

const endpointRows = (collection: Collection, path: string): string[][] => {
  const row = (method: string, below: string, summary: string) => [
    code(`${method} ${path}${below}`),
    summary,
  ];
  if (collection.singleton) return [row('GET', '', 'Read the item'), row('PATCH', '', 'Update the item')];
  const list = [
    row('GET', '', 'List items'),
    row('SEARCH', '', 'List items, with the parameters in the body: `{"query": {…}}`'),
  ];
  const exported = collection.system
    ? []
    : [row('POST', '/export', 'Write the list to a file, in the queue')];
  if (collection.kind === 'view' || collection.key.length === 0) return [...list, ...exported];
  const key =
    collection.key.length === 1 ? '/{key}' : `/${collection.key.map((name) => `{${name}}`).join(',')}`;
  if (collection.readonly) return [...list, row('GET', key, 'Read one item'), ...exported];
  return [
    ...list,
    row('POST', '', 'Create one item, or several from an array'),
    row(
      'PATCH',
      '',
      'Update several items: `{"keys": […], "data": {…}}`, or an array of objects with their keys',
    ),
    row('DELETE', '', 'Delete several items, by an array of keys'),
    row('GET', key, 'Read one item'),
    row('PATCH', key, 'Update one item'),
    row('DELETE', key, 'Delete one item'),
    ...(collection.system ? [] : [row('POST', '/import', 'Create items from a file, in the queue')]),
    ...exported,
  ];
};

/** Returns an example query with the first fields whose names need no escaping in a URL or a shell. */
const exampleQuery = ({ fields, singleton }: Collection): string => {
  const names = fields.map(({ name }) => name).filter((name) => /^\w+$/.test(name));
  const query = [
    ...(names.length === 0 ? [] : [`fields=${names.slice(0, 3).join(',')}`]),
    ...(singleton ? [] : ['limit=3']),
  ];
  return query.length === 0 ? '' : `?${query.join('&')}`;
};
