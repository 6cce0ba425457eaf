import type { Ensemble, Trend } from '../api/shapes.js';
import { AXIS_WIDTH, colorOf } from './curve.js';
import { clock } from './words.js';

const SHOWN_SPANS = 4;

interface Props {
  readonly trend: Trend;
  readonly changes: Ensemble['changes'];
}

/** Who led when, over the same hour as the charts below. A mark is an election. */
export function Leaders({ trend: { times, leaders, series }, changes }: Props) {
  const [start = 0] = times;
  const length = Math.max(1, (times.at(-1) ?? start) - start);
  const percent = (seconds: number) =>
    `${(Math.min(1, Math.max(0, seconds / length)) * 100).toFixed(2)}%`;
  const servers = [...new Set(series.map(({ server }) => server))];
  const spans = leaders.map((span) => ({
    ...span,
    key: `${span.from} ${span.server}`,
    words: `${span.server ?? 'none'} ${clock(span.from * 1000)} to ${clock(span.to * 1000)}`,
  }));
  const elections = changes.filter(
    ({ kind, time }) => kind === 'election' && Date.parse(time) / 1000 >= start,
  );
  const alternative = `Leader over the last hour: ${spans.map(({ words }) => words).join(', ')}`;
  return (
    <section aria-label="leader">
      <h3>Leader</h3>
      <div
        class="leaders"
        id="leaders"
        role="img"
        aria-label={alternative}
        style={{ marginInlineStart: `${AXIS_WIDTH}px` }}
      >
        {spans.map(({ key, from, to, server, words }) => (
          <span
            key={key}
            title={words}
            class={server === null ? 'none' : ''}
            style={{
              insetInlineStart: percent(from - start),
              width: percent(to - from),
              backgroundColor: server === null ? '' : colorOf(servers.indexOf(server)),
            }}
          />
        ))}
        {elections.map(({ time, text }) => (
          <i
            key={time}
            title={text}
            style={{ insetInlineStart: percent(Date.parse(time) / 1000 - start) }}
          />
        ))}
      </div>
      <ul class="plain">
        {spans
          .slice(-SHOWN_SPANS)
          .toReversed()
          .map(({ key, words, server }) => (
            <li key={key}>
              <span
                class="swatch"
                style={{
                  backgroundColor: server === null ? '' : colorOf(servers.indexOf(server)),
                }}
              />
              {words}
            </li>
          ))}
      </ul>
    </section>
  );
}
