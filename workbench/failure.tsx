import type { CallAnswer } from '../cli/workbench/model.ts';

/** A failed call as its client meets it, and the reason that only the author sees. */
export function Failure({ answer: { text, code, cause } }: { readonly answer: CallAnswer }) {
  return (
    <div class="failure" role="alert">
      <p class="error">{text}</p>
      <p class="dim">
        This is all that a client and its model learn.
        {code === null ? null : (
          <>
            {' '}
            The code in records is <code>{code}</code>.
          </>
        )}
      </p>
      {cause === null ? null : (
        <>
          <p>
            <strong>The reason, from the log.</strong> <span class="dim">Clients do not get it.</span>
          </p>
          <pre>{cause}</pre>
        </>
      )}
    </div>
  );
}
