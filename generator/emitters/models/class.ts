/** Writes the Objection class of a collection, the typed handle for a team's own code. */
import type { Collection } from '../../model/types.js';
import { call, layout, object, pair, type Code } from '../../print/code.js';
import {
  docComment,
  lineComment,
  lineWidth,
  objectKey,
  str,
  typeKey,
  type CodeBlockWriter,
} from '../../print/typescript.js';
import { printNames, type Mapping } from './relation.js';
import type { ToLocalName } from '../../print/names.js';

/** A collection and the contents of its file. */
export interface FileContext {
  readonly collection: Collection;
  readonly mappings: readonly Mapping[];
  /** The mappings that Objection can join. */
  readonly joinable: readonly Mapping[];
  readonly local: ToLocalName;
}

/** Writes the class. Relations that Objection cannot join are named in a comment instead. */
export const writeClass = (writer: CodeBlockWriter, parts: FileContext): void => {
  const { collection, mappings, joinable, local } = parts;
  const { name, note } = collection;
  writer.writeLine(docComment(note ?? `A row of ${name}.`));
  writer.write(printHeading(collection, local)).block(() => {
    writeTable(writer, collection);
    writeUnmapped(
      writer,
      mappings.filter((mapping) => !joinable.includes(mapping)),
    );
    if (joinable.length > 0) writeRelations(writer, parts);
  });
};

const printHeading = ({ names }: Collection, local: ToLocalName): string => {
  const model = local('Model');
  const opening = `export class ${names.type} extends (${model} as ${local('svc')}.WithFields<`;
  const types = [`typeof ${model}`, `typeof ${local('fields')}`];
  const heading = `${opening}${types.join(', ')}>)`;
  return heading.length + ' {'.length <= lineWidth ? heading : `${opening}\n  ${types.join(',\n  ')}\n>)`;
};

const writeTable = (writer: CodeBlockWriter, { name, key }: Collection): void => {
  const [only, ...more] = key;
  writeMember(writer, pair('static override tableName =', str(name)));
  if (only === undefined) return;
  writeMember(writer, pair('static override idColumn =', more.length === 0 ? str(only) : printNames(key)));
};

const writeMember = (writer: CodeBlockWriter, member: Code): void => {
  writer.writeLine(`${layout(member, { margin: 2, tail: 1 })};`);
};

/** Writes an arrow function on one line, or with its body on the next line. */
const writeThunk = (writer: CodeBlockWriter, head: string, body: Code): void => {
  const line = layout(pair(head, body), { margin: 2, tail: 1 });
  if (!line.includes('\n')) writer.writeLine(`${line};`);
  else writer.writeLine(head).indent(() => writer.writeLine(`${layout(body, { margin: 4, tail: 1 })};`));
};

const writeUnmapped = (writer: CodeBlockWriter, mappings: readonly Mapping[]): void => {
  if (mappings.length === 0) return;
  const names = mappings.map(({ relation }) => relation.property).join(', ');
  writer.writeLine(
    lineComment(`Not mapped, because Objection would take their column names apart: ${names}.`),
  );
};

const writeRelations = (writer: CodeBlockWriter, { joinable, collection, local }: FileContext): void => {
  const targets = object(joinable.map(printTarget), { expand: false });
  const mapped = call(`${local('svc')}.relationMappings`, [
    collection.names.type,
    local('relations'),
    targets,
  ]);
  writeThunk(writer, 'static override relationMappings = () =>', mapped);
  writer.blankLine();
  for (const { relation, target } of joinable) {
    const type = relation.kind === 'manyToOne' ? `${target.names.type} | null` : `${target.names.type}[]`;
    writer.writeLine(`declare ${typeKey(relation.property)}?: ${type};`);
  }
};

/** Prints `artist: Artist`, or `Track` where property and class have the same name. */
const printTarget = ({ relation: { property }, target: { names } }: Mapping): Code =>
  property === names.type ? property : pair(`${objectKey(property)}:`, names.type);
