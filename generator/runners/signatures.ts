/** Compares the functions that modules export with the types of their models. */
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Project,
  StructureKind,
  VariableDeclarationKind,
  ts,
  type Diagnostic,
  type SourceFile,
  type StatementStructures,
} from 'ts-morph';

/** The module of a model's function. */
export interface RunnerModule {
  /** Id of the model. */
  readonly id: string;
  /** Beginning of the names of its types. */
  readonly type: string;
  readonly module: string;
  /** File of the model. */
  readonly file: string;
}

/** The file with the types of the models, whose content need not be written yet. */
export interface TypesFile {
  readonly file: string;
  readonly content: string;
}

/** Returns one sentence for each module whose `run` is missing or does not fit its model. */
export const findUnfit = (modules: readonly RunnerModule[], types: TypesFile): readonly string[] => {
  const project = new Project({ compilerOptions, skipAddingFilesFromTsConfig: true });
  project.createSourceFile(types.file, types.content, { overwrite: true });
  return modules.flatMap((each, index) => {
    const statements = toStatements(each, types.file);
    const source = project.createSourceFile(resolve(`.svc-runner-${index}.ts`), { statements });
    const malformed = findMalformed(project, source);
    if (malformed !== null) return [`${each.file}: ${malformed}`];
    const found = source.getPreEmitDiagnostics().find((diagnostic) => diagnostic.getCode() !== withoutTypes);
    return found === undefined ? [] : [toFault(each, found)];
  });
};

/** Returns the first error of syntax in the module that a source imports first, or null where there is none. */
const findMalformed = (project: Project, source: SourceFile): string | null => {
  const module = source.getImportDeclarations()[0]?.getModuleSpecifierSourceFile();
  if (module === undefined) return null;
  const [error] = project.getProgram().getSyntacticDiagnostics(module);
  if (error === undefined) return null;
  const { line, column } = module.getLineAndColumnAtPos(error.getStart());
  const text = ts.flattenDiagnosticMessageText(error.compilerObject.messageText, '\n');
  return `${relative(process.cwd(), module.getFilePath())}:${line}:${column}: ${text} Correct the syntax`;
};

/** Assigns what the module exports to the type that its model requires. */
const toStatements = ({ type, module }: RunnerModule, types: string): StatementStructures[] => [
  importNames(module, ['run']),
  importNames(importOf(types), [`${type}Input`, `${type}Output`]),
  importNames(runtime, ['RunModel']),
  {
    kind: StructureKind.VariableStatement,
    isExported: true,
    declarationKind: VariableDeclarationKind.Const,
    declarations: [{ name: 'checked', type: `RunModel<${type}Input, ${type}Output>`, initializer: 'run' }],
  },
];

const importNames = (module: string, names: string[]): StatementStructures => ({
  kind: StructureKind.ImportDeclaration,
  moduleSpecifier: module,
  namedImports: names,
});

const importOf = (file: string): string => {
  const path = relative(process.cwd(), file);
  return path.startsWith('.') ? path : `./${path}`;
};

const runtime = '@svc-api/svc/runtime';

/** The part of the runtime that a function uses. */
const contract = (): string => {
  const file = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'contract', 'queue-model');
  return existsSync(`${file}.d.ts`) ? `${file}.d.ts` : `${file}.ts`;
};

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  allowJs: true,
  allowImportingTsExtensions: true,
  paths: { [runtime]: [contract()] },
};

/** TypeScript's code for a module without types, whose function can be anything. */
const withoutTypes = 7016;

const noSuchModule = 2307;
const noSuchExport = new Set([2305, 2459, 2614, 2724]);

const toFault = ({ file, module, type }: RunnerModule, diagnostic: Diagnostic): string => {
  const code = diagnostic.getCode();
  if (code === noSuchModule) return `${file}: the module "${module}" cannot be found; install or correct it`;
  const expected = `expected export const run: RunModel<${type}Input, ${type}Output>`;
  if (noSuchExport.has(code)) return `${file}: ${module} exports no function "run"; ${expected}`;
  const text = ts.flattenDiagnosticMessageText(diagnostic.compilerObject.messageText, '\n').split('\n');
  return `${file}: "run" of ${module} does not fit the schemas: ${text.at(-1)?.trim()}; ${expected}`;
};
