import { element } from './element.ts';
import type { Row } from './rows.ts';

/** A column of a table. */
interface TableColumn {
  readonly name: string;
  readonly head: HTMLElement;
  readonly order: 'none' | 'ascending' | 'descending';
  readonly isNumeric: boolean;
  readonly toText: (value: unknown) => string;
}

/** The rows of a table, and its columns. */
interface Table {
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn[];
  readonly title: string;
}

/** Draws rows as a table that scrolls in its frame. */
export function drawTable({ rows, columns, title }: Table): HTMLElement {
  const kindOf = ({ isNumeric }: TableColumn) => (isNumeric ? 'number' : undefined);
  const heads = columns.map((column) =>
    element('th', { scope: 'col', 'aria-sort': column.order, class: kindOf(column) }, column.head),
  );
  const body = rows.map((row) => {
    const cells = columns.map((column) =>
      element('td', { class: kindOf(column) }, column.toText(row[column.name])),
    );
    return element('tr', {}, ...cells);
  });
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': title, 'data-key': 'rows' },
    element('table', {}, element('thead', {}, element('tr', {}, ...heads)), element('tbody', {}, ...body)),
  );
}
