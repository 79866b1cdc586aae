/** dbt's commands that open the database. */
const OPENING = [
  'build',
  'clone',
  'compile',
  'debug',
  'retry',
  'run',
  'run-operation',
  'seed',
  'show',
  'snapshot',
  'source',
  'test',
];

const OTHERS = ['clean', 'deps', 'environment', 'init', 'list', 'ls', 'man', 'parse'];

/** Whether a command line of dbt opens the database. The first word that is a command counts. */
export function usesDatabase(args: readonly string[]): boolean {
  const index = args.findIndex((arg) => [...OPENING, ...OTHERS, 'docs'].includes(arg));
  const command = args[index];
  if (command === undefined || args.includes('--help')) return false;
  return command === 'docs' ? args[index + 1] === 'generate' : OPENING.includes(command);
}
