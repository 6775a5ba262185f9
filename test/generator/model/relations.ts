/** Models of catalogs made by hand, and their relations as one line each. */
import type { Table } from '../../../generator/introspection/catalog.js';
import { buildModel } from '../../../generator/model/build.js';
import type { Relation } from '../../../generator/model/types.js';
import { catalog, counter, integer, key, specWith, string, table } from '../catalogs.js';

type Row = Record<string, unknown>;

export const build = (
  tables: readonly Table[],
  relations: readonly Row[] = [],
  files: Record<string, string> = {},
) => buildModel({ catalog: catalog(tables, { relations }), spec: specWith(files) });

export const relationsOf = ({ model }: ReturnType<typeof build>, name: string): readonly Relation[] =>
  model.collections.find((collection) => collection.name === name)?.relations ?? [];

export const show = (relation: Relation): string => {
  if (relation.kind === 'manyToAny') return `${relation.name}: any of ${relation.targets.join(' ')}`;
  const keys = `${relation.fields.join('+')} = ${relation.targetFields.join('+')}`;
  return `${relation.name}: ${relation.kind === 'manyToOne' ? 'one' : 'many'} ${relation.target} (${keys})`;
};

export const shown = (built: ReturnType<typeof build>, name: string): string[] =>
  relationsOf(built, name).map(show);

export const faultsOf = (run: () => unknown): string[] => {
  try {
    run();
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
};

export const artists = table('Artist', { ArtistId: counter(), Name: string() });
export const albums = table(
  'Album',
  { AlbumId: counter(), ArtistId: integer() },
  { foreignKeys: [key(['ArtistId'], 'Artist', ['ArtistId'])] },
);
