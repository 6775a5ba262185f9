/** Known meta keys and their types. Unknown keys are preserved. */

export type MetaKind = 'flag' | 'text' | 'number' | 'words' | 'filter' | 'accountability' | 'data';

const keysOf = (kinds: Readonly<Partial<Record<MetaKind, string>>>): ReadonlyMap<string, MetaKind> =>
  new Map(
    Object.entries(kinds).flatMap(([kind, keys]) =>
      keys.split(' ').map((key) => [key, kind as MetaKind] as const),
    ),
  );

export const collectionMetaKeys = keysOf({
  flag: 'archive_app_filter hidden singleton',
  text: 'archive_field archive_value collapse color display_template group icon note sort_field unarchive_value',
  number: 'sort',
  accountability: 'accountability',
  data: 'item_duplication_fields translations',
});

export const fieldMetaKeys = keysOf({
  flag: 'hidden readonly required',
  text: 'display group interface note validation_message validation_type width',
  number: 'sort',
  words: 'special',
  filter: 'validation',
  data: 'conditions display_options options translations',
});
