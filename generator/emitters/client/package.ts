/** Emits the manifest and the TypeScript settings of the client package. */
import type { Api, OutputFile } from '../../model/types.js';

/** Emits `package.json`, named after the title of the API, and `tsconfig.json`. */
export const emitPackage = (api: Api): OutputFile[] => [
  json('client/package.json', manifest(api)),
  json('client/tsconfig.json', settings),
];

const json = (path: string, value: unknown): OutputFile => ({
  path,
  content: `${JSON.stringify(value, null, 2)}\n`,
});

const manifest = ({ title, version, description }: Api) => ({
  name: packageName(title),
  version,
  description: `Client of ${title}. ${description}`,
  type: 'module',
  main: './dist/index.js',
  types: './dist/index.d.ts',
  exports: {
    '.': entry('index'),
    './graphql': entry('graphql/items'),
    './graphql/system': entry('graphql/system'),
  },
  files: ['dist', 'README.md'],
  sideEffects: false,
  scripts: { build: 'tsc', prepack: 'npm run build' },
  devDependencies: { typescript: '6.0.3' },
  engines: { node: '>=20' },
});

const entry = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });

/**
 * Returns the package name, valid for npm (lower case, URL-safe): `Content API` becomes `content-api-client`.
 */
export const packageName = (title: string): string => {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return [...words, 'client'].join('-');
};

const settings = {
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    strict: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    declaration: true,
    rootDir: 'src',
    outDir: 'dist',
  },
  include: ['src'],
};
