/** Connections that a supervisor hands to a process. */
import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { acceptConnections, type ConnectionMessage } from '../../../runtime/processes/connections.js';
import { reservePort } from '../../services/ports.js';

/** Takes connections once told to, and reports the message of each. */
const taker = `
process.on('message', (message, socket) => {
  if (message === 'wait') return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  socket?.destroy();
  process.send(message);
});
process.send('ready');
`;

it('come with the message that others wait, where the process is late to take them', async () => {
  const port = await reservePort();
  const child = spawn(process.execPath, ['-e', taker], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const connections = await acceptConnections('127.0.0.1', port);
  try {
    await once(child, 'message');
    connections.add(child);
    child.send('wait');
    const open = () => connect(port).on('error', () => undefined);
    const sockets = Array.from({ length: 6 }, open);
    const more: boolean[] = [];
    for await (const [message] of on(child, 'message') as AsyncIterable<[ConnectionMessage]>) {
      connections.take(child, message.id);
      if (more.push(message.more) === sockets.length) break;
    }
    expect(more.slice(0, 3)).toEqual([false, true, true]);
    // all are taken, so that no other waits
    open();
    const [message] = (await once(child, 'message')) as [ConnectionMessage];
    expect(message.more).toBe(false);
  } finally {
    connections.close();
    child.kill('SIGKILL');
  }
});
