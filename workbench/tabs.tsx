import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

/** One view of several. */
export interface Tab {
  readonly name: string;
  readonly view: () => ComponentChildren;
}

/** Shows one view at a time. The arrow keys move between the tabs (ARIA Authoring Practices, "Tabs"). */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  // Until a person chooses, the first tab is shown, also when the tabs change.
  const [chosen, choose] = useState<string | null>(null);
  const id = useId();
  const found = tabs.findIndex(({ name }) => name === chosen);
  const at = Math.max(0, found);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    choose(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(({ name }, index) => (
          <button
            type="button"
            role="tab"
            key={name}
            id={`${id}-${name}`}
            aria-selected={index === at}
            aria-controls={`${id}-panel`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => choose(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tabs[at]?.name}`}>
        {tabs[at]?.view()}
      </div>
    </div>
  );
}
