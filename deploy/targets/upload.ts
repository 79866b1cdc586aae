import { type RemoteFacts, UPLOADED_DATABASE } from './target.ts';

/** The command that uploads a database to S3 or to a server that takes files by PUT. */
export function uploadCommand(_project: string, { store, key }: RemoteFacts): string {
  return store.startsWith('s3:')
    ? `aws s3 cp ${UPLOADED_DATABASE} ${store}/${key}`
    : `curl --fail --upload-file ${UPLOADED_DATABASE} ${store}/${key}`;
}

/** The part of a README about a database that is read by ranges; empty without one. */
export function uploadReadme(project: string, remote: RemoteFacts | undefined): string {
  if (remote === undefined) return '';
  const { store, key } = remote;
  const access = store.startsWith('s3:')
    ? `The program reads it with the credentials and the region of its environment (\`AWS_ACCESS_KEY_ID\`, \`AWS_SECRET_ACCESS_KEY\`, \`AWS_SESSION_TOKEN\`, \`AWS_REGION\`), which Lambda sets. Its role needs \`s3:GetObject\` for this object. \`AWS_ENDPOINT_URL_S3\` is the address of another store that answers as S3 does.`
    : 'The program reads it without credentials, so keep that server out of the reach of others if the data is not public. The server must answer ranges.';
  return `
The artefact reads its database by ranges from \`${store}/${key}\`, with Node 24 or newer. Upload it first:

    ${uploadCommand(project, remote)}

${access} Each version of the data has a key of its own: delete an old object when no artefact that runs names its key any more.
`;
}
