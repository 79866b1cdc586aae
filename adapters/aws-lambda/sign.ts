import { AwsV4Signer } from 'aws4fetch';

/** The credentials that Lambda puts into the environment of a function. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

/** The service, region and time that a signature is valid for. */
export interface SignScope {
  readonly credentials: Credentials;
  readonly region: string;
  readonly service: string;
  readonly now: Date;
}

/** A POST before it is signed. */
export interface Unsigned {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The headers of a POST with its signature (AWS Signature Version 4). */
export async function sign({ url, headers, body }: Unsigned, scope: SignScope): Promise<Headers> {
  const { credentials, region, service, now } = scope;
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const signer = new AwsV4Signer({
    method: 'POST',
    url: url.href,
    headers: { ...headers },
    body,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === null ? {} : { sessionToken }),
    region,
    service,
    datetime: now.toISOString().replace(/[-:]|\.\d+/g, ''),
  });
  return (await signer.sign()).headers;
}
