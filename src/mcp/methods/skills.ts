import type { Server, ServerContext } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import type { Runtime } from '../../call/runtime.ts';
import { skillsOf } from '../../catalog/skill.ts';
import { mayCall } from '../../context.ts';
import { listCacheHint } from '../capabilities.ts';
import type { ServerDeps } from '../context.ts';
import { createVisiblePages } from '../scopes.ts';
import { invalidParams, LIST_PARAMS } from './pagination.ts';

/*
 * Skills (SEP-2640): guides that clients load into the context of a model before it uses the tools. Their files are
 * resources, which `resources/read` reads under the same policies as any other.
 */

const GET_PARAMS = v.looseObject({ uri: v.string() });

/** `skills/list` and `skills/get`. */
export function answerSkills(server: Server, runtime: Runtime, parts: ServerDeps): void {
  const skills = skillsOf(runtime.catalog);
  const pages = createVisiblePages(runtime.catalog, skills, {
    toWire: ({ skill }) => skill,
    size: parts.pageSize,
  });
  // Results of older revisions have no fields about caching.
  const hint = parts.era === 'modern' ? listCacheHint(parts) : {};
  const heldBy = (ctx: ServerContext) => parts.callerOf(ctx).grant?.scopes;
  server.setRequestHandler('skills/list', { params: LIST_PARAMS }, ({ cursor }, ctx) => {
    const { items, ...next } = pages(cursor, parts.callerOf(ctx));
    return { skills: items, ...next, ...hint };
  });
  server.setRequestHandler('skills/get', { params: GET_PARAMS }, ({ uri }, ctx) => {
    const found = skills.find((entry) => entry.uri === uri);
    if (found !== undefined && mayCall(found, heldBy(ctx))) return { skill: found.skill, ...hint };
    throw invalidParams(`There is no skill at ${uri.slice(0, 256)}.`, { uri });
  });
}
