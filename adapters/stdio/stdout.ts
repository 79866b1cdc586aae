import { Writable } from 'node:stream';

/** Reserves stdout for the protocol. All other output of the process goes to stderr from now on. */
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
