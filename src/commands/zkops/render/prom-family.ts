/** One line: `<name><suffix>{<labels>} <value>`. */
export interface Sample {
  /** `_sum` or `_count` for parts of a summary. */
  readonly suffix: string;
  /** Escaped: `server="a:1",role="leader"`. */
  readonly labels: string;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'summary';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

export function labelsOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, text]) => `${key}="${escapeLabel(text)}"`)
    .join(',');
}

/** The text exposition format; "" for a family without samples. */
export function familyText({ name, type, help, samples }: Family): string {
  if (samples.length === 0) return '';
  const lines = samples.map(
    ({ suffix, labels, value }) =>
      `${name}${suffix}${labels === '' ? '' : `{${labels}}`} ${numberText(value)}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

/** Prometheus writes `+Inf`. */
function numberText(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}
