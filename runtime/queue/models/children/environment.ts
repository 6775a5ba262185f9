/** Chooses the environment variables that function models receive. */

/** Variables of svc that contain secrets or lead to them. */
const withheld =
  /^(SECRET|DATABASE_.*|EMAIL_.*|TEMPORAL_.*|ADMIN_.*|AUTH_.*|QUEUE_FILES_URL|.*_FILE|NOTIFY_SOCKET|NODE_CHANNEL_.*)$/;

/** Returns the environment without the variables of svc that a model should not know. @param passed names that stay */
export const modelEnvironment = (
  environment: NodeJS.ProcessEnv,
  passed: readonly string[],
): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) => passed.includes(name) || !withheld.test(name)),
  );
