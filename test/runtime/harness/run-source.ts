/** Lets processes that a test forks run TypeScript: they inherit these options, as they do from `tsx`. */
export const runSource = (): void => {
  if (!process.execArgv.includes('tsx')) process.execArgv.push('--import', 'tsx');
};
