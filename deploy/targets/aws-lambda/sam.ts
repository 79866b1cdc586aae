import type { Architecture } from '../../native/architecture.ts';
import { deployedVariables, statementLines, type TemplateFacts } from './needs.ts';
import { MEMORY_MB, RUNTIME, TIMEOUT_S } from './serverless.ts';

const ARCHITECTURE = `  Architecture:
    Type: String
    Default: arm64
    AllowedValues: [arm64, x86_64]
`;

/**
 * Names a parameter of the template for each variable: `CrmToken2` is the second one for a name such as `CRM_TOKEN`. None
 * begins with `Mcp`, as the resources do that SAM makes for the function (`McpUrl`, `McpRole`).
 */
function parametersOf(variables: readonly string[]): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  const taken = new Set(['Architecture']);
  for (const variable of variables) {
    const plain = variable
      .toLowerCase()
      .replaceAll(/(?:^|_+)([^_]?)/g, (_, letter: string) => letter.toUpperCase())
      .replace(/^Mcp/, 'VarMcp');
    let name = plain;
    for (let number = 2; taken.has(name); number += 1) name = `${plain}${number}`;
    taken.add(name);
    named.set(variable, name);
  }
  return named;
}

function parameterBlock(variable: string, name: string): string {
  return `  ${name}:
    Type: String
    NoEcho: true
    Description: The value of the variable ${variable}
`;
}

function policyBlock(statements: string): string {
  if (statements === '') return '';
  return `      Policies:
        - Version: '2012-10-17'
          Statement:
${statements}
`;
}

/** `template.yaml` for the AWS SAM command line. */
export function samTemplate(facts: TemplateFacts, arch: Architecture | null = null): string {
  const named = [...parametersOf(deployedVariables(facts))];
  const parameters = [
    ...(arch === null ? [ARCHITECTURE] : []),
    ...named.map(([variable, name]) => parameterBlock(variable, name)),
  ].join('');
  return `# sam deploy --guided
# Callers: ${facts.callers}
AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Description: ${JSON.stringify(`${facts.project}, an MCP server built by svc`)}

${parameters === '' ? '' : `Parameters:\n${parameters}\n`}Resources:
  Mcp:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: function.zip
      Handler: index.handler
      Runtime: ${RUNTIME}
      Architectures: [${arch ?? '!Ref Architecture'}]
      MemorySize: ${MEMORY_MB}
      Timeout: ${TIMEOUT_S}
      Environment:
        Variables:
          SVC_LAMBDA_RESPONSE: stream
${named.map(([variable, name]) => `          ${variable}: !Ref ${name}\n`).join('')}${policyBlock(statementLines(facts, '            '))}      FunctionUrlConfig:
        AuthType: NONE
        InvokeMode: RESPONSE_STREAM

Outputs:
  McpUrl:
    Description: What clients connect to, with mcp added to it.
    Value: !GetAtt McpUrl.FunctionUrl
`;
}
