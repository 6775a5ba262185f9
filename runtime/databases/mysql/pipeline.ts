/**
 * Sends prepared statements together on a connection of mysql2, which by itself waits for the response of each. MySQL and
 * MariaDB take one statement after another from the connection, and respond in the same order.
 */
import type { PoolConnection } from 'mysql2';

/** A command of mysql2. */
interface Command {
  /** Sends the command where there is no packet, otherwise takes one of its response. Returns whether it has ended. */
  execute(packet: object | undefined, connection: Connection): boolean;
  /** Called where the connection is lost. */
  onResult?(error: Error): void;
}

/** Members of a connection that are missing in the types of mysql2. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void };
  /** The commands that wait for the one in progress. */
  readonly _commands: { shift(): Command | undefined };
  /** Expected in the next packet, counted from the one that was sent with 0. */
  sequenceId: number;
  addCommand(command: Command): void;
}

/**
 * Runs statements together.
 * @param start starts statements that are prepared; each of them gets its own response or error
 * @returns the result of `start`, as soon as the connection is free for it
 */
export const pipeline = <Result>(connection: PoolConnection, start: () => Result): Promise<Result> =>
  new Promise((resolve) => {
    (connection as unknown as Connection).addCommand(new Pipeline(() => resolve(start())));
  });

/** A command that contains others. */
class Pipeline implements Command {
  readonly #start: () => void;
  /** The commands without their whole response, in order; null before they were sent. */
  #sent: Command[] | null = null;

  constructor(start: () => void) {
    this.#start = start;
  }

  execute(packet: object | undefined, connection: Connection): boolean {
    if (this.#sent === null) this.#sent = this.#send(connection);
    else if (this.#sent[0]?.execute(packet, connection) === true) this.#sent.shift();
    else return false;
    connection.sequenceId = 1;
    return this.#sent.length === 0;
  }

  #send(connection: Connection): Command[] {
    // they wait in the queue, because this command is in progress
    this.#start();
    const { _commands: waiting } = connection;
    const sent: Command[] = [];
    connection.stream.cork();
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (!next.execute(undefined, connection)) sent.push(next);
    }
    connection.stream.uncork();
    return sent;
  }

  onResult(error: Error): void {
    // each of them fails by itself on the lost connection
    if (this.#sent === null) return this.#start();
    for (const command of this.#sent) command.onResult?.(error);
  }
}
