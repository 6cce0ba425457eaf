/** The section of ClickHouse's config.xml that names the members. */
export function zookeeperSection(ports: readonly number[]): string {
  const nodes = ports.map((port) => `<node><host>127.0.0.1</host><port>${port}</port></node>`);
  return `<zookeeper>${nodes.join('')}<session_timeout_ms>10000</session_timeout_ms></zookeeper>`;
}
