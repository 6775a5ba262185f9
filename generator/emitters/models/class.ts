/** The Objection class of a collection: the typed handle for a team's own code. */
import type { Collection } from '../../model/types.js';
import { layout, object, pair, type Code } from '../../print/code.js';
import {
  docComment,
  lineComment,
  lineWidth,
  str,
  typeKey,
  type CodeBlockWriter,
} from '../../print/typescript.js';
import { isJoinable, printMapping, printNames, type Mapping } from './relation.js';
import type { Local } from '../../print/names.js';

export interface ClassParts {
  readonly collection: Collection;
  readonly mappings: readonly Mapping[];
  readonly local: Local;
}

export const writeClass = (writer: CodeBlockWriter, { collection, mappings, local }: ClassParts): void => {
  const { name, note } = collection;
  const joinable = mappings.filter((mapping) => isJoinable(mapping, collection));
  writer.writeLine(docComment(note ?? `A row of ${name}.`));
  writer.write(printHeading(collection, local)).block(() => {
    writeTable(writer, collection);
    writeLeftOut(
      writer,
      mappings.filter((mapping) => !joinable.includes(mapping)),
    );
    if (joinable.length > 0) writeRelations(writer, { collection, mappings: joinable, local });
  });
};

const printHeading = ({ names }: Collection, local: Local): string => {
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

const writeLeftOut = (writer: CodeBlockWriter, mappings: readonly Mapping[]): void => {
  if (mappings.length === 0) return;
  const names = mappings.map(({ relation }) => relation.modelName).join(', ');
  writer.writeLine(
    lineComment(`Not mapped, because Objection would take their column names apart: ${names}.`),
  );
};

const writeRelations = (writer: CodeBlockWriter, { collection, mappings, local }: ClassParts): void => {
  writer.blankLine();
  for (const { relation, target } of mappings) {
    const type = relation.kind === 'manyToOne' ? `${target.names.type} | null` : `${target.names.type}[]`;
    writer.writeLine(`declare ${typeKey(relation.modelName)}?: ${type};`);
  }
  const entries = mappings.map((mapping) => printMapping(mapping, collection, local));
  const thunk = `static override relationMappings = (): ${local('RelationMappings')} =>`;
  writer.blankLine().writeLine(`${thunk} (${layout(object(entries, { expand: true }), { margin: 2 })});`);
};
