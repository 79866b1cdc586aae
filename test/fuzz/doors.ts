import type { Door } from './door.ts';
import { cel, sql, template, uri } from './doors/language.ts';
import { prompts, resources, site, yaml } from './doors/project.ts';
import { audit, blocks, manifest, sealed } from './doors/stored.ts';
import { http, jsonRpc, oauth } from './doors/wire.ts';

/** Every place where bytes of somebody else come in. */
export const DOORS: readonly Door[] = [
  ...[yaml, resources, prompts, site],
  ...[jsonRpc, http, oauth],
  ...[cel, template, uri, sql],
  ...[sealed, audit, manifest, blocks],
];
