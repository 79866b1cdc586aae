import type { Architecture } from '../../native/architecture.ts';
import { digestOf, toDeploymentName } from '../target.ts';
import { deployedVariables, statementLines, type TemplateFacts } from './needs.ts';

/** Memory in MB that gives one full virtual processor; a function starts fastest with it. */
export const MEMORY_MB = 1769;
/** API Gateway gives up after 30 seconds. */
export const TIMEOUT_S = 29;
export const RUNTIME = 'nodejs24.x';

/** The processor as a parameter of the deployment. */
const EITHER = `\${param:architecture, 'arm64'}`;

const COMMANDS = `# npx osls deploy                                  on arm64, by the free fork of the Serverless Framework
# npx osls deploy --param="architecture=x86_64"    on x86
# npx serverless deploy                            by the Serverless Framework 4, which wants a licence`;

function commandsOn(arch: Architecture): string {
  return `# npx osls deploy          on ${arch}, which its native engine is made for, by the free fork of the Serverless Framework
# npx serverless deploy    by the Serverless Framework 4, which wants a licence`;
}

/** The longest name of a service whose role, `<service>-dev-<region>-lambdaRole`, has at most 64 characters in each region. */
const LONGEST_SERVICE = 34;

/** The block of the function's role; empty if the framework's own role has all that it needs. */
function roleBlock(service: string, statements: string): string {
  const short = `${service.slice(0, 20).replace(/-$/, '')}-${digestOf(service)}`;
  const lines = [
    ...(service.length > LONGEST_SERVICE ? [`      name: ${short}-\${sls:stage}-\${aws:region}\n`] : []),
    ...(statements === '' ? [] : [`      statements:\n${statements}\n`]),
  ];
  return lines.length === 0 ? '' : `  iam:\n    role:\n${lines.join('')}`;
}

/** `serverless.yml` for the Serverless Framework and its fork osls. A native artefact runs on one processor. */
export function serverlessYml(facts: TemplateFacts, arch: Architecture | null = null): string {
  const service = toDeploymentName(facts.project);
  const variables = deployedVariables(facts).map((name) => `      ${name}: \${env:${name}}\n`);
  return `${arch === null ? COMMANDS : commandsOn(arch)}
# Callers: ${facts.callers}
service: ${service}

provider:
  name: aws
  region: \${opt:region, env:AWS_REGION, 'us-east-1'}
  runtime: ${RUNTIME}
  architecture: ${arch ?? EITHER}
  memorySize: ${MEMORY_MB}
  timeout: ${TIMEOUT_S}
${roleBlock(service, statementLines(facts, '        '))}
package:
  artifact: function.zip

functions:
  mcp:
    handler: index.handler
    environment:
      SVC_LAMBDA_RESPONSE: stream
${variables.join('')}    url:
      invokeMode: RESPONSE_STREAM
`;
}
