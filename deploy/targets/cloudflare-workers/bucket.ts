import { type ProjectFacts, type RemoteFacts, toDeploymentName, UPLOADED_DATABASE } from '../target.ts';

/** The largest static asset that Cloudflare allows, in bytes. */
export const ASSET_LIMIT = 25 * 1_048_576;
/** The largest file that wrangler uploads to a bucket, in bytes. */
const WRANGLER_LIMIT = 300 * 1_048_576;

const BLOCKS_README = `
The database is cut into blocks of 256 KiB, an asset each. The Worker fetches those that a statement reads. \`npx wrangler deploy\` uploads only blocks that have changed.
`;

/** The bucket of a project's databases. */
export function bucketName(project: string): string {
  return `${toDeploymentName(project)}-data`;
}

/** The command that uploads the database, before the one that deploys the Worker. Assets are a part of the Worker. */
export function uploadCommand(project: string, { store, key, bytes }: RemoteFacts): string | null {
  if (store === 'assets') return null;
  const bucket = bucketName(project);
  return bytes <= WRANGLER_LIMIT
    ? `npx wrangler r2 object put ${bucket}/${key} --file ${UPLOADED_DATABASE} --remote`
    : `aws s3 cp ${UPLOADED_DATABASE} s3://${bucket}/${key} --endpoint-url https://$CLOUDFLARE_ACCOUNT_ID.r2.cloudflarestorage.com`;
}

/** The part of the README about a database that is read by ranges; empty without one. */
export function remoteReadme({ project, remote }: ProjectFacts): string {
  if (remote === undefined) return '';
  if (remote.store === 'assets') return BLOCKS_README;
  const large =
    remote.bytes <= WRANGLER_LIMIT
      ? ''
      : `
Wrangler uploads files of at most 300 MiB, so the first command uses the AWS command line, with an access key of R2.
`;
  const reason = remote.bytes > ASSET_LIMIT ? 'The database is too large for a static asset. ' : '';
  return `
${reason}The Worker reads the database by ranges from the R2 bucket \`${bucketName(project)}\`. Create the bucket once: \`npx wrangler r2 bucket create ${bucketName(project)}\`. Upload and deploy with both commands, in this order:

    ${uploadCommand(project, remote)}
    npx wrangler deploy
${large}
Each version of the data has a key of its own, so the deployed Worker goes on with the old one until the second command. Roll back to the Worker and the data before with \`npx wrangler rollback\`. Delete an old object when no deployed version of the Worker names its key any more.
`;
}
