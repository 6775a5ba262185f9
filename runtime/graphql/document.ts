/** Parses documents, validates them against a view and compiles them. */
import {
  getOperationAST,
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type OperationDefinitionNode,
  type ValidationRule,
} from 'graphql';
import { compileOperation, type CompiledOperation, type CompileOptions } from './compile.js';
import { toValidationError, invalidDocument } from './errors.js';
import { checkNesting, checkCounts, checkSelections } from './limits.js';
import type { GraphqlCall } from './protocol.js';
import type { View } from './schema.js';

export interface DocumentOptions extends CompileOptions {
  /** Maximum number of lexical tokens of a document. */
  readonly maxTokens: number;
}

/** Compiles the requested operation of a document. @throws GRAPHQL_VALIDATION with up to 20 problems */
export const compileDocument = (
  { document: text, operationName }: Pick<GraphqlCall, 'document' | 'operationName'>,
  view: View,
  options: DocumentOptions,
): CompiledOperation => {
  const document = parseDocument(text, options);
  const problems = validate(view.schema, document, rulesOf(options), {
    maxErrors: 20,
    hideSuggestions: !options.introspection,
  });
  if (problems.length > 0) throw toValidationError(problems);
  checkSelections(document, view.schema);
  return compileOperation(document, findOperation(document, operationName), { view, options });
};

const parseDocument = (text: string, { maxTokens }: DocumentOptions): DocumentNode => {
  checkNesting(text);
  try {
    const document = parse(text, { maxTokens });
    checkCounts(document);
    return document;
  } catch (error) {
    throw error instanceof GraphQLError ? toValidationError([error]) : error;
  }
};

/** Excludes the rule that takes quadratic time; `checkSelections` replaces it. */
const rules = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);
const rulesWithoutIntrospection: readonly ValidationRule[] = [...rules, NoSchemaIntrospectionCustomRule];

const rulesOf = ({ introspection }: DocumentOptions): readonly ValidationRule[] =>
  introspection ? rules : rulesWithoutIntrospection;

const findOperation = (document: DocumentNode, name: string | null): OperationDefinitionNode => {
  const operation = getOperationAST(document, name);
  if (operation !== null && operation !== undefined) return operation;
  throw invalidDocument({
    message:
      name === null
        ? 'The document needs exactly one operation, or "operationName" must select one.'
        : `The document has no operation "${name}".`,
  });
};
