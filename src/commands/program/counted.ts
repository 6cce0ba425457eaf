/** "1 byte", "2 bytes", "1 child", "0 children". */
export function counted(count: number | bigint, one: string, many = `${one}s`): string {
  return `${count} ${Number(count) === 1 ? one : many}`;
}
