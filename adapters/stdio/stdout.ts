import { Writable } from 'node:stream';

/** Takes stdout for the protocol: whatever else the process prints goes to stderr from here on. */
export function claimStdout(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      write(chunk, (error) => done(error));
    },
  });
  process.stdout.on('error', (error) => output.destroy(error));
  return output;
}
