/** Process that downloads Temporal's program into a folder, with Temporal's SDK. */
const [downloadDir = '.', version = 'default'] = process.argv.slice(2);

/** Starts a server, which the SDK downloads first, and stops it at once. */
const download = async (): Promise<void> => {
  const { TestWorkflowEnvironment } = await loadTesting();
  const executable = { type: 'cached-download', downloadDir, version } as const;
  const started = await TestWorkflowEnvironment.createLocal({ server: { executable, ui: false } });
  await started.teardown();
};

/** Loads a module that a production install omits. @throws Error that says so */
const loadTesting = () =>
  import('@temporalio/testing').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('@temporalio/testing is not installed');
  });

// If the parent exits, no one needs the download.
process.once('disconnect', () => process.exit(1));
download().then(
  () => process.exit(0),
  ({ message }: Error) => process.send?.(firstLine(message), () => process.exit(1)),
);

/** Returns the first line, because each cause repeats its message. */
const firstLine = (message: string): string =>
  `the download failed: ${/client error.*|https?:\S+.*|.*/.exec(message)?.[0] ?? message}`;
