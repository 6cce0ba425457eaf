import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpGuard } from '../../../../src/server/node/admin/http-guard.js';

test('the end of a response whose request has lost its socket does not throw', () => {
  const limits: string[] = [];
  const server = createServer().removeAllListeners('connection');
  const guard = new HttpGuard(server, {}, (limit) => limits.push(limit));
  const socket = new Socket();
  server.emit('connection', socket);
  const request = new IncomingMessage(socket);
  const response = new ServerResponse(request);
  assert.ok(guard.begin(request, response));
  Object.assign(request, { socket: null });
  response.emit('close');
  assert.equal(limits, []);
});

test.run();
