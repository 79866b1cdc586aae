/** The folder for PYTHONPATH with a real DuckDB 2.0; the reason is empty where it is there. */
export function ensureDuckDb(): Promise<{ readonly folder: string; readonly reason: string }>;
