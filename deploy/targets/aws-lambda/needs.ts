import type { ProjectFacts } from '../target.ts';

/** The facts of a project that both templates name. */
export type TemplateFacts = Pick<ProjectFacts, 'project' | 'callers' | 'variables' | 'tokenTable' | 'remote'>;

/** The variables that Lambda sets itself, and names that it refuses. */
const NOT_SET =
  /^(AWS_(REGION|DEFAULT_REGION|ACCESS_KEY(_ID)?|SECRET_(ACCESS_)?KEY|SESSION_TOKEN|EXECUTION_ENV|LAMBDA_\w+)|LAMBDA_(TASK_ROOT|RUNTIME_DIR)|_\w*|\w)$/;

/** The variables that a deployment sets: those of the user file that Lambda does not set. */
export function deployedVariables({ variables = [] }: TemplateFacts): readonly string[] {
  return variables.filter((name) => /^\w+$/.test(name) && !NOT_SET.test(name));
}

/** The lines of the role's statements in a template, for the table of tokens and the database in S3; empty without them. */
export function statementLines({ tokenTable, remote }: TemplateFacts, indent: string): string {
  const statements: string[] = [];
  if (tokenTable) {
    const place = `${tokenTable.region ?? `\${AWS::Region}`}:\${AWS::AccountId}:table/${tokenTable.table}`;
    statements.push(allow(TABLE_ACTIONS, `dynamodb:${place}`));
  }
  const bucket = remote && /^s3:\/\/(.+)$/.exec(remote.store)?.[1];
  // The instances of the older version go on reading their own object of the folder.
  if (bucket) statements.push(allow('s3:GetObject', `s3:::${bucket}/${remote.key.replace(/[^/]*$/, '*')}`));
  return statements.join('').replaceAll(/^/gm, indent).trimEnd();
}

const TABLE_ACTIONS = 'dynamodb:GetItem, dynamodb:PutItem, dynamodb:UpdateItem, dynamodb:DeleteItem';

function allow(actions: string, resource: string): string {
  return `- Effect: Allow
  Action: [${actions}]
  Resource: !Sub ${JSON.stringify(`arn:\${AWS::Partition}:${resource}`)}
`;
}
