/** The forms in which a view shows rows. */
export type ViewKind = 'table' | 'line' | 'bar' | 'area' | 'scatter' | 'number' | 'map';

interface ColumnConfig {
  readonly type: string;
  readonly title?: string;
  readonly format?: string;
}

/** The facts about a tool that the server writes into the page. */
export interface ViewConfig {
  readonly tool: string;
  readonly title: string;
  readonly view: ViewKind;
  /** Types, titles and formats of columns, from `return`. */
  readonly columns: { readonly [name: string]: ColumnConfig };
  /** The rows of one page, if the tool has the parameters `limit` and `offset`; null without paging by calls. */
  readonly pageSize: number | null;
  /** The columns by which the tool itself sorts all rows, by its parameters `sort` and `descending`. */
  readonly sorts: readonly string[];
}
