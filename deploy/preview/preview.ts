import { once } from 'node:events';
import { createServer } from 'node:net';
import { SvcError } from '../../src/errors.ts';
import { TARGETS, type TargetName } from '../targets/targets.ts';

/** The choices for running an artefact on this machine. */
export interface PreviewOptions {
  /** The folder that `svc build` wrote. */
  readonly folder: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The project, whose own copy of the platform's tool is preferred. */
  readonly root: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Receives each line that the artefact writes. */
  readonly onLine: (line: string) => void;
  /** Ends an artefact that is starting. */
  readonly stop?: AbortSignal | undefined;
}

/** An artefact that runs. */
export interface Preview {
  /** Address of its MCP endpoint. */
  readonly url: string;
  /** Resolves with the reason when the artefact ends by itself. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

/** Runs an artefact on this machine as its platform would. Throws address_unavailable if the port is taken. */
export async function startPreview(target: TargetName, options: PreviewOptions): Promise<Preview> {
  await refuseTakenPort(options.port);
  const { target: platform } = await TARGETS[target].load();
  return platform.preview(options);
}

/** Checks the port ourselves, because each platform's own tool reports a taken port in its own way. */
async function refuseTakenPort(port: number): Promise<void> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch (cause) {
    const fix = 'Stop the program that listens there, or choose another with --port (0 takes any free one).';
    throw new SvcError('address_unavailable', `Port ${port} is not free. ${fix}`, { cause });
  }
  server.close();
  await once(server, 'close');
}
