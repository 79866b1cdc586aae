/** The choices for a new project. */
export interface Answers {
  readonly project: string;
  readonly profile: string;
  readonly bootstrap: boolean;
}

/** The folders of a project (spec, "What the service does", 3). */
export const FOLDERS = ['tools', 'resources', 'prompts', 'sql', 'data'] as const;

/** The tool that `--bootstrap` writes. */
export const EXAMPLE_TOOL = 'hello_world';

/** The text of each file of a new project, by its path. The database of a `readonly` one is only read. */
export function templatesOf(answers: Answers, readonly = false): Readonly<Record<string, string>> {
  const example = { [`tools/${EXAMPLE_TOOL}.yml`]: TOOL, [`sql/${EXAMPLE_TOOL}.sql`]: SQL };
  return { 'svc-site.yml': toSite(answers, readonly), ...(answers.bootstrap ? example : {}) };
}

function toSite({ project, profile }: Answers, readonly: boolean): string {
  return `svc: 1
project: ${toScalar(project)}
profile: ${toScalar(profile)}

profiles:
  ${toScalar(profile)}:
    database:
      path: data/db-${profile}.db
      readonly: ${readonly}
`;
}

/** Quotes a text if YAML would not read it as text. */
function toScalar(text: string): string {
  const plain = /^[a-z][\w-]*$/i.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return plain ? text : JSON.stringify(text);
}

const TOOL = `svc: 1
tool:
  name: ${EXAMPLE_TOOL}
  description: Greets somebody by name
  parameters:
    - name: name
      type: string
      description: Whom to greet
      minLength: 1
      maxLength: 100
      examples: [Ada]
  return:
    type: object
    description: The greeting of one person
    properties:
      greeting:
        type: string
        description: The greeting
  source:
    file: ../sql/${EXAMPLE_TOOL}.sql
  tests:
    - name: greets by name
      arguments:
        - key: name
          value: Ada
      result_contains:
        greeting: Hello, Ada!
`;

const SQL = `SELECT 'Hello, ' || $name || '!' AS greeting
`;
