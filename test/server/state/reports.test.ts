import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { ClientConnection } from '../../../src/server/state/client-connection.js';
import { Reporter } from '../../../src/server/state/reports.js';
import { Request } from '../../../src/server/state/request.js';

function requestOf(type: number, body: Buffer | null = null): Request {
  const connection = new ClientConnection(1, '127.0.0.1', 4711, 1000, () => undefined);
  const request = new Request(connection, 7n, 1, type, 1000);
  request.body = body;
  return request;
}

function bodyOf(path: string): Buffer {
  const out = new OutputArchive();
  out.writeString(path);
  out.writeBool(false);
  return Buffer.from(out.take());
}

const DELETE = { type: OpCode.delete, path: '/a' } as const;

test('a write that took as long as the threshold is reported, a faster one is not', () => {
  const reporter = new Reporter({ slowRequestMs: 100, isAudited: false });
  reporter.committed(requestOf(OpCode.delete), DELETE, 1099);
  assert.equal(reporter.take(), []);
  reporter.committed(requestOf(OpCode.delete), DELETE, 1100);
  assert.equal(reporter.take(), [
    { kind: 'slow-request', sessionId: 7n, operation: 'DELE', path: '/a', ms: 100 },
  ]);
  assert.equal(reporter.take(), []);
});

test('the path of a waiting read comes from its stored body', () => {
  const reporter = new Reporter({ slowRequestMs: 1, isAudited: false });
  for (const body of [bodyOf('/b'), bodyOf('no path'), Buffer.from([0, 0, 0, 9, 1]), null]) {
    reporter.answeredLate(requestOf(OpCode.getData, body), 2000);
  }
  const paths = reporter.take().map((report) => 'path' in report && report.path);
  assert.equal(paths, ['/b', undefined, undefined, undefined]);
});

test('reports have the beginning of a long path', () => {
  const reporter = new Reporter({ slowRequestMs: 1, isAudited: false });
  const path = `/${'x'.repeat(1_000_000)}`;
  reporter.committed(requestOf(OpCode.delete), { type: OpCode.delete, path }, 2000);
  reporter.answeredLate(requestOf(OpCode.getData, bodyOf(path)), 2000);
  const excess = { owner: path, what: 'count', used: 2, limit: 1, isHard: true } as const;
  reporter.quotaExceeded(excess, false, 0);
  reporter.quotaExceeded(excess, false, 1);
  const lengths = reporter.take().map((report) => {
    if (report.kind === 'quota-exceeded') return report.owner.length;
    return report.kind === 'slow-request' ? report.path?.length : 0;
  });
  assert.equal(lengths, [256, 256, 256]);
});

test('a threshold of 0 reports none', () => {
  const reporter = new Reporter({ slowRequestMs: 0, isAudited: false });
  reporter.committed(requestOf(OpCode.delete), DELETE, 1e9);
  reporter.answeredLate(requestOf(OpCode.getData), 1e9);
  assert.equal(reporter.take(), []);
});

test('the end of a session is reported, for any cause', () => {
  const reporter = new Reporter({ slowRequestMs: 0, isAudited: false });
  const request = new Request(null, 7n, 0, OpCode.closeSession, 0);
  reporter.committed(request, { type: OpCode.closeSession, paths: ['/e'] }, 0);
  assert.equal(reporter.take(), [{ kind: 'session-closed', sessionId: 7n }]);
});

test.run();
