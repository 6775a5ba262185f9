/**
 * Replaces each `$ref` of a JSON Schema by what it refers to, because generated documents hold schemas at other places
 * than the spec.
 */
import { holdsData, holdsSchemasByName } from './expressions.js';
import { faultAt, suggest } from './faults.js';
import type { SpecFault } from './types.js';
import type { MapEntry, MapNode, Node } from './yaml.js';

/** Keywords with schemas that only references use. */
const definitions = new Set(['$defs', 'definitions']);

/** Keywords that may stand beside a reference; they replace those of its schema. */
const annotations = new Set(['title', 'description', 'default', 'examples', 'deprecated']);

interface Context {
  readonly root: MapNode;
  readonly faults: SpecFault[];
  /** References that lead here. */
  readonly open: readonly string[];
}

/** Returns the schema without `$ref`. A reference that leads nowhere, or into itself, adds a fault. */
export const resolveReferences = (root: MapNode, faults: SpecFault[]): Node =>
  resolve(root, { root, faults, open: [] });

const resolve = (node: Node, context: Context): Node => {
  if (node.kind === 'list') return { ...node, items: node.items.map((item) => resolve(item, context)) };
  if (node.kind === 'scalar') return node;
  const reference = node.entries.get('$ref')?.value;
  if (reference !== undefined) return resolveReference(node, reference, context);
  const kept = [...node.entries].filter(([keyword]) => !definitions.has(keyword));
  return withEntries(
    node,
    kept.map(([keyword, entry]) => [
      keyword,
      { ...entry, value: resolveValue(keyword, entry.value, context) },
    ]),
  );
};

const resolveValue = (keyword: string, value: Node, context: Context): Node => {
  if (holdsData(keyword)) return value;
  if (!holdsSchemasByName(keyword) || value.kind !== 'map') return resolve(value, context);
  return withEntries(
    value,
    [...value.entries].map(([name, entry]) => [name, { ...entry, value: resolve(entry.value, context) }]),
  );
};

const withEntries = (node: MapNode, entries: readonly (readonly [string, MapEntry])[]): MapNode => ({
  ...node,
  entries: new Map(entries),
});

const resolveReference = (node: MapNode, { position, ...reference }: Node, context: Context): Node => {
  const { faults, open } = context;
  const fail = (message: string, remedy: string): Node => {
    faults.push(faultAt(position, message, remedy));
    return withEntries(node, []);
  };
  const text = 'value' in reference ? String(reference.value) : '';
  const name = /^#\/\$defs\/([^/]+)$/.exec(text)?.[1] ?? /^#\/definitions\/([^/]+)$/.exec(text)?.[1];
  if (name === undefined)
    return fail(`"$ref" cannot lead to "${text}"`, 'write "#/$defs/name", and that schema under "$defs"');
  const target = findDefinition(context.root, text.startsWith('#/$defs/') ? '$defs' : 'definitions', name);
  if ('names' in target)
    return fail(`there is no "${text}"`, suggest(name, target.names, `add "${name}" to "$defs"`));
  if (open.includes(text))
    return fail(`"${text}" contains itself`, 'describe the inner value as an object without properties');
  const others = [...node.entries].filter(([keyword]) => keyword !== '$ref');
  const foreign = others.find(([keyword]) => !annotations.has(keyword));
  if (foreign !== undefined)
    return fail(
      `"${foreign[0]}" cannot stand beside "$ref"`,
      `move it into "${text}"; only ${[...annotations].join(', ')} can`,
    );
  const resolved = resolve(target.found, { ...context, open: [...open, text] });
  return resolved.kind === 'map' ? withEntries(resolved, [...resolved.entries, ...others]) : resolved;
};

const findDefinition = (
  root: MapNode,
  keyword: string,
  name: string,
): { readonly found: Node } | { readonly names: readonly string[] } => {
  const all = root.entries.get(keyword)?.value;
  const entries = all?.kind === 'map' ? all.entries : new Map<string, MapEntry>();
  const found = entries.get(name)?.value;
  return found === undefined ? { names: [...entries.keys()] } : { found };
};
