import type { TargetName } from '../target.ts';
import { previewLambda } from './lambda/preview.ts';
import type { Preview, PreviewOptions } from './model.ts';
import { previewNode } from './node.ts';
import { refuseTakenPort } from './port.ts';
import { previewWorker } from './worker.ts';

const PREVIEWS: { readonly [target in TargetName]: (options: PreviewOptions) => Promise<Preview> } = {
  node: previewNode,
  'aws-lambda': previewLambda,
  'cloudflare-workers': previewWorker,
};

/** Runs an artefact as its platform would, on this machine. */
export async function startPreview(target: TargetName, options: PreviewOptions): Promise<Preview> {
  await refuseTakenPort(options.port);
  return PREVIEWS[target](options);
}
