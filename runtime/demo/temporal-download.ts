/** A process that downloads Temporal's program into a folder, with the SDK's own means. */
const [downloadDir = '.', version = 'default'] = process.argv.slice(2);

/** The SDK downloads what it starts: a server that is ended at once. */
const download = async (): Promise<void> => {
  const { TestWorkflowEnvironment } = await loadTesting();
  const executable = { type: 'cached-download', downloadDir, version } as const;
  const started = await TestWorkflowEnvironment.createLocal({ server: { executable, ui: false } });
  await started.teardown();
};

/** Loads what a production install leaves out. @throws Error that says so */
const loadTesting = () =>
  import('@temporalio/testing').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('@temporalio/testing is not installed');
  });

// Without its parent nobody waits for it.
process.once('disconnect', () => process.exit(1));
download().then(
  () => process.exit(0),
  ({ message }: Error) => process.send?.(firstLine(message), () => process.exit(1)),
);

/** Each cause repeats what it causes. */
const firstLine = (message: string): string =>
  `the download failed: ${/client error.*|https?:\S+.*|.*/.exec(message)?.[0] ?? message}`;
