/** The `server.N=` lines, in the form for a reconfig. @throws RangeError without members */
export function membersOf(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const members = lines.filter((line) => /^server\.\d+\s*=/.test(line));
  if (members.length === 0) throw new RangeError('the file has no server.N= line');
  return members.map((line) => line.replace(/\s*=\s*/, '=')).join('\n');
}
