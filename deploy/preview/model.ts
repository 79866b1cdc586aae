/** How an artefact is to be run on this machine. */
export interface PreviewOptions {
  /** What `svc build` wrote. */
  readonly folder: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** Where tools of the platform are looked for first. */
  readonly root: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Told of each line that the artefact writes. */
  readonly onLine: (line: string) => void;
}

/** An artefact that runs. */
export interface Preview {
  /** Of its MCP endpoint. */
  readonly url: string;
  /** Settles when it ends without having been asked to, with why. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}
