/** A socket as systemd listens on it: datagrams of the Unix domain, which Node cannot receive. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '../until.js';

export interface NotifySocket {
  readonly path: string;
  /** Messages so far. */
  readonly messages: readonly string[];
  close(): void;
}

const program = `
import socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print('bound', flush=True)
while True:
    for line in receiver.recv(4096).decode().splitlines():
        print(line, flush=True)
`;

export const openNotifySocket = async (directory: string): Promise<NotifySocket> => {
  const path = join(directory, 'notify');
  const child = spawn('python3', ['-c', program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const messages: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => messages.push(line));
  await until(() => messages.shift() === 'bound', { what: 'python3 listens' });
  return { path, messages, close: () => child.kill() };
};
