import type { Catalog, ResourceEntry, ToolEntry } from '../../catalog/model.ts';
import { isObject } from '../../json.ts';
import { toInputSchema } from '../../types/schema.ts';
import type { ModelTool } from './model.ts';

/** An endpoint that a model may call. A resource is offered as a tool that reads it. */
export interface Offer extends ModelTool {
  readonly entry: ToolEntry | ResourceEntry;
  /** The author's name: a tool's name or a resource's URI. */
  readonly endpoint: string;
}

/** Offers every tool and resource of a catalog, under names that every vendor accepts. */
export function toOffers({ tools, resources }: Catalog): readonly Offer[] {
  const taken = new Set<string>();
  return [...Object.values(tools).map(toolOffer), ...Object.values(resources).map(resourceOffer)].map(
    (offer) => ({
      ...offer,
      name: freeName(offer.name, taken),
    }),
  );
}

function toolOffer(entry: ToolEntry): Offer {
  const { description, inputSchema } = entry.wire;
  return {
    entry,
    endpoint: entry.name,
    name: entry.name,
    description: typeof description === 'string' ? description : entry.name,
    schema: isObject(inputSchema) ? inputSchema : toInputSchema(entry.parameters),
  };
}

function resourceOffer(entry: ResourceEntry): Offer {
  const { description } = entry.wire;
  const about = typeof description === 'string' ? ` ${description}` : '';
  return {
    entry,
    endpoint: entry.uri,
    name: `read_${entry.uri.replaceAll(/\{[^}]*\}/g, '').replaceAll(/[^A-Za-z0-9]+/g, '_')}`.replace(
      /_+$/,
      '',
    ),
    description: `Reads the resource ${entry.uri}.${about}`,
    schema: toInputSchema(entry.parameters),
  };
}

const MOST = 64;

/** Vendors accept neither dots nor repeated names. */
function freeName(wanted: string, taken: Set<string>): string {
  const plain = wanted.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MOST);
  let name = plain;
  for (let count = 2; taken.has(name); count += 1) {
    const end = `_${count}`;
    name = `${plain.slice(0, MOST - end.length)}${end}`;
  }
  taken.add(name);
  return name;
}

/** Whether a name refers to an offer: a tool's name, a resource's URI or its own name. */
export function refersTo({ endpoint, entry }: Offer, name: string): boolean {
  return endpoint === name || entry.name === name;
}
