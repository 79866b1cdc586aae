import type { FramedFinding } from '../cli/workbench/model.ts';
import { Pre } from './scroll.tsx';

/** The findings of `svc validate` and `svc lint`, each at its line. */
export function FindingsView({ findings }: { readonly findings: readonly FramedFinding[] }) {
  return (
    <section id="findings">
      <h2>Findings</h2>
      {findings.length === 0 ? <p class="good">No findings.</p> : null}
      {findings.map((finding) => (
        <Finding
          key={`${finding.file}:${finding.line}:${finding.code}:${finding.message}`}
          finding={finding}
        />
      ))}
    </section>
  );
}

const STYLES = { error: 'bad', warning: 'warn', info: 'dim' } as const;

/** A finding with the lines around it. */
export function Finding({ finding }: { readonly finding: FramedFinding }) {
  const { severity, file, line, column, message, fix, frame, code } = finding;
  return (
    <article class="finding">
      <p>
        <span class={STYLES[severity]}>{severity}</span>{' '}
        <code>
          {file}
          {line === 0 ? '' : `:${line}:${column}`}
        </code>{' '}
        <span class="dim">{code}</span>
      </p>
      <p>{message}</p>
      <p class="dim">Fix: {fix}</p>
      {frame.length === 0 ? null : (
        <Pre>
          {frame.map((one) => (
            <span key={one.line} class={one.line === line ? 'marked' : ''}>
              {`${one.line === line ? '>' : ' '} ${String(one.line).padStart(4)} | ${one.text}\n`}
            </span>
          ))}
        </Pre>
      )}
    </article>
  );
}
