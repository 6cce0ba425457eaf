import type { Ensemble } from '../api/shapes.js';
import { hrefOf } from './href.js';
import { Level } from './parts.js';

/** The problems, each with its entry of the runbook. */
export function Findings({ problems }: Pick<Ensemble, 'problems'>) {
  return (
    <ul class="plain" id="findings">
      {problems.map(({ server, code, level, text, runbook }) => (
        <li key={`${server} ${code}`}>
          <Level level={level} /> {server && <a href={hrefOf('member', server)}>{server}</a>} {text}
          {runbook && (
            <details>
              <summary>What to do: {code}</summary>
              {paragraphsOf(runbook).map((paragraph) => (
                <p key={paragraph}>{paragraph}</p>
              ))}
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Markdown without its marks: list items, and lines that belong together. */
function paragraphsOf(markdown: string): readonly string[] {
  const plain = markdown.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');
  return plain.split(/\n(?=- )|\n{2,}/).map((part) => part.replace(/^- |\n\s*/g, ' ').trim());
}
