/** Documents: parsed and checked against a view; what comes out is compiled once. */
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
import { invalidBy, invalidDocument } from './errors.js';
import { checkNesting, checkParts, checkSelections } from './limits.js';
import type { GraphqlCall } from './protocol.js';
import type { View } from './schema.js';

export interface DocumentOptions extends CompileOptions {
  /** Words and signs that a document may have. */
  readonly tokens: number;
}

/** @throws GRAPHQL_VALIDATION with everything that is wrong */
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
  if (problems.length > 0) throw invalidBy(problems);
  checkSelections(document);
  return compileOperation(document, findOperation(document, operationName), { view, options });
};

const parseDocument = (text: string, { tokens }: DocumentOptions): DocumentNode => {
  checkNesting(text);
  try {
    const document = parse(text, { maxTokens: tokens });
    checkParts(document);
    return document;
  } catch (error) {
    throw error instanceof GraphQLError ? invalidBy([error]) : error;
  }
};

/** Fields of one key are compared by `checkSelections`: the rule takes quadratic time. */
const rules = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);
const closedRules: readonly ValidationRule[] = [...rules, NoSchemaIntrospectionCustomRule];

const rulesOf = ({ introspection }: DocumentOptions): readonly ValidationRule[] =>
  introspection ? rules : closedRules;

const findOperation = (document: DocumentNode, name: string | null): OperationDefinitionNode => {
  const operation = getOperationAST(document, name);
  if (operation !== null && operation !== undefined) return operation;
  throw invalidDocument({
    message:
      name === null
        ? 'The document needs one operation, or "operationName" to say which one is meant.'
        : `The document has no operation "${name}".`,
  });
};
