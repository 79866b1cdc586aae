import type { Manifest } from '../../../src/catalog/manifest.ts';
import { fromBase64Url } from '../../../src/crypto/encoding.ts';
import { blockDigests } from './blocks.ts';
import { createReadAhead, unpackColumns } from './read-ahead.ts';
import { type RangeSource, RemoteFile } from './remote-file.ts';

/** The file of an artefact's database, with the digests and columns that its manifest has. */
export function openRemote({ name, remote }: Manifest['database'], source: RangeSource): RemoteFile {
  return new RemoteFile({
    name,
    source,
    digests: blockDigests(fromBase64Url(remote?.digests ?? '') ?? new Uint8Array()),
    readAhead: createReadAhead(unpackColumns(remote?.columns ?? [])),
  });
}
