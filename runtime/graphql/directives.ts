/** What the directive `svc` of a generated schema says: which collection or operation is behind a type or a field. */
import type { ConstDirectiveNode } from 'graphql';

export interface FieldDirectives {
  readonly collection?: string;
  /** On a type: what its fields take part in. On a field at the root: what it does. */
  readonly action?: string;
  /** Id of the spec's operation. */
  readonly operation?: string;
  /** `user` or `admin`: nobody else has it. */
  readonly access?: string;
  /** The name in the database or in the spec, where GraphQL spells it differently. */
  readonly name?: string;
  /** Of an operation: the one member of its answer that is shown. */
  readonly open?: string;
  /** `body`: an argument that REST has in the body. */
  readonly in?: string;
  /** Type of a relation for those who may not read, or update, what it leads to. */
  readonly otherwise?: string;
}

export const directiveName = 'svc';

interface Marked {
  readonly directives?: readonly ConstDirectiveNode[];
}

const none: FieldDirectives = {};
const known = new WeakMap<Marked, FieldDirectives>();

export const directivesOf = (node: Marked | null | undefined): FieldDirectives => {
  if (node === null || node === undefined) return none;
  const present = known.get(node);
  if (present !== undefined) return present;
  const directives = readMarks(node);
  known.set(node, directives);
  return directives;
};

const readMarks = ({ directives = [] }: Marked): FieldDirectives => {
  const directive = directives.find(({ name }) => name.value === directiveName);
  if (directive === undefined) return none;
  return Object.fromEntries(
    (directive.arguments ?? []).flatMap(({ name, value }) =>
      value.kind === 'StringValue' ? [[name.value, value.value]] : [],
    ),
  );
};
