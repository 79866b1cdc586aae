import type { Architecture } from '../../native/architecture.ts';
import { MEMORY_MB, RUNTIME, type TemplateFacts, TIMEOUT_S } from './serverless.ts';

const PARAMETERS = `Parameters:
  Architecture:
    Type: String
    Default: arm64
    AllowedValues: [arm64, x86_64]

`;

/** `template.yaml` for the AWS SAM command line. */
export function samTemplate({ project, callers }: TemplateFacts, arch: Architecture | null = null): string {
  return `# sam deploy --guided
# Callers: ${callers}
AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Description: ${JSON.stringify(`${project}, an MCP server built by svc`)}

${arch === null ? PARAMETERS : ''}Resources:
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
      FunctionUrlConfig:
        AuthType: NONE
        InvokeMode: RESPONSE_STREAM

Outputs:
  McpUrl:
    Description: What clients connect to, with mcp added to it.
    Value: !GetAtt McpUrl.FunctionUrl
`;
}
