/**
 * Attempts that are under way in this process, by receiver: one that is slow or gone takes its share of them, and no
 * more. Who finds no place stands in line for a moment, so that a crowd for one that is quick is not sent away.
 */

export interface Receivers {
  /** @returns what to call at the end; `null`: the receiver has enough to do */
  enter(url: string): Promise<(() => void) | null>;
}

export interface ReceiversOptions {
  /** Attempts at a time, of one receiver. */
  readonly places?: number;
  /** How many may stand in line for them. */
  readonly most?: number;
  /** Milliseconds to stand there. */
  readonly patience?: number;
}

interface Receiver {
  taken: number;
  readonly line: (() => void)[];
}

export const createReceivers = ({
  places = 16,
  most = 48,
  patience = 2_000,
}: ReceiversOptions = {}): Receivers => {
  const receivers = new Map<string, Receiver>();

  const receiverOf = (host: string): Receiver => {
    const known = receivers.get(host) ?? { taken: 0, line: [] };
    receivers.set(host, known);
    return known;
  };

  const stand = ({ line }: Receiver): Promise<boolean> =>
    new Promise((resolve) => {
      const turn = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        line.splice(line.indexOf(turn), 1);
        resolve(false);
      }, patience);
      line.push(turn);
    });

  /** Hands the place on. */
  const leave = (host: string): void => {
    const receiver = receiverOf(host);
    const next = receiver.line.shift();
    if (next !== undefined) return next();
    receiver.taken -= 1;
    if (receiver.taken === 0) receivers.delete(host);
  };

  return {
    async enter(url) {
      const { host } = new URL(url);
      const receiver = receiverOf(host);
      if (receiver.taken < places) receiver.taken += 1;
      else if (receiver.line.length >= most || !(await stand(receiver))) return null;
      return () => leave(host);
    },
  };
};
