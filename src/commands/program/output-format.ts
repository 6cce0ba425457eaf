// The output formats: one name for one thing. `text` is what a prompt shows, `table` has columns,
// `ndjson` one JSON document on each line, `csv` a heading (RFC 4180), `plain` tabs and none, `raw`
// the exact bytes, `prom` the text format of Prometheus, `nagios` the line of a monitoring plugin.

export const SHELL_FORMATS = ['text', 'table', 'json', 'ndjson', 'raw'] as const;
/** The formats of a task of zkops; one without a verdict has no `prom`. */
export const TASK_FORMATS = ['table', 'json', 'ndjson', 'csv', 'plain', 'nagios', 'prom'] as const;
/** The formats of a verb of zkops that asks the members. */
export const MEMBER_FORMATS = [...TASK_FORMATS, 'raw'] as const;
