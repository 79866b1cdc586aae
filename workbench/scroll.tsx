import type { ComponentChildren } from 'preact';

/* A region that scrolls must take the focus, or the keyboard cannot reach its end (WCAG 2.1.1). */

interface ScrollProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A wide table that scrolls in its place. */
export function Scroll({ label, children }: ScrollProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

/** Text with its line breaks. */
export function Pre({
  children,
  kind = '',
}: {
  readonly children: ComponentChildren;
  readonly kind?: string;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <pre class={kind} tabIndex={0}>
      {children}
    </pre>
  );
}
