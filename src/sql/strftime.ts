/**
 * Why both engines refuse some formats of strftime. For `%n`, DuckDB 1.5 makes room for nine digits, writes them, and goes
 * on behind the sixth. Three bytes at the end of the text stay as they were, and may be another caller's data. Only at the
 * end of a format are all nine digits there.
 */
export const EARLY_NANOSECONDS =
  'In a format of strftime, nothing may follow %n, because DuckDB would show parts of its memory. For microseconds write %f.';
