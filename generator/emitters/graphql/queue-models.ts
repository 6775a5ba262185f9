/** Defines a field for each queue model that submits a request to it, with a typed input. */
import type { QueueModel } from '../../model/types.js';
import type { ArgumentDefinition, Definition } from '../../print/graphql.js';
import { typeOfSchema, type OperationRoot, type RootOptions } from './operations.js';

/** Operation whose `input` is that of any model. */
const submission = 'requestsSubmit';

/** Returns the fields of the models: that of the submission, with the model fixed. */
export const modelRoots = (
  models: readonly QueueModel[],
  operations: readonly OperationRoot[],
  options: RootOptions,
): readonly OperationRoot[] => {
  const base = operations.find(({ field }) => field.directives?.operation === submission);
  return base === undefined ? [] : models.map((model) => modelRoot(model, base, options));
};

const modelRoot = (
  { id, title, access, names, input }: QueueModel,
  { kind, field }: OperationRoot,
  options: RootOptions,
): OperationRoot => {
  const name = `${field.name}_${names.file.replaceAll(/\W/g, '_')}`;
  const types: Definition[] = [];
  const shape = {
    ...options,
    direction: 'input',
    types,
    name: `${name}_input`,
    hasWideIntegers: true,
  } as const;
  const inputType = `${typeOfSchema(input, shape)}!`;
  const withType = (argument: ArgumentDefinition): ArgumentDefinition =>
    argument.name === 'input' ? { ...argument, type: inputType } : argument;
  const others = (field.arguments ?? []).filter((argument) => argument.name !== 'model');
  return {
    kind,
    types,
    field: {
      ...field,
      name,
      note: `Queue a request to ${title}`,
      arguments: others.map(withType),
      directives: { ...field.directives, access, model: id },
    },
  };
};
