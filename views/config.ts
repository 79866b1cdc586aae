/** The facts about a tool that the server writes into the page. */
export interface ViewConfig {
  readonly tool: string;
  readonly title: string;
  readonly view: 'table' | 'line' | 'bar' | 'area' | 'scatter' | 'number' | 'map';
  /** Titles and formats of columns, from `return`. */
  readonly columns: { readonly [name: string]: { readonly title?: string; readonly format?: string } };
  /** The rows of one page, if the tool has the parameters `limit` and `offset`; null without paging by calls. */
  readonly pageSize: number | null;
}

/** A row of a result. */
export interface Row {
  readonly [column: string]: unknown;
}
