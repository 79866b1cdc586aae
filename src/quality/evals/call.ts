import { checkArguments } from '../../call/arguments.ts';
import { callEndpoint } from '../../call/pipeline.ts';
import type { Outcome, Runtime } from '../../call/runtime.ts';
import type { RequestContext } from '../../context.ts';
import { SvcError, toPublicText, toSvcError } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import { callerCredentials, createTextRedactor } from '../../redaction/redact.ts';
import { nearestName } from '../../types/nearest.ts';
import type { ModelCall } from './model.ts';
import type { Offer } from './offer.ts';

/** A call that a model made, and its outcome. */
export interface MadeCall {
  /** The number of the turn, from 1. */
  readonly turn: number;
  /** Null for a name that was not offered. */
  readonly offer: Offer | null;
  /** The tool's name or the resource's URI; for an unknown tool, the name that the model sent. */
  readonly endpoint: string;
  /** The arguments as sent; null if they are not a JSON object. */
  readonly args: JsonObject | null;
  /** The arguments with types and defaults; null if they are invalid. */
  readonly checked: JsonObject | null;
  readonly error: SvcError | null;
  readonly value: JsonValue;
  /** The result text that the model receives. */
  readonly text: string;
  readonly timeMs: number;
}

/** The circumstances of a call. */
export interface Calling {
  readonly runtime: Runtime;
  readonly offers: readonly Offer[];
  readonly context: () => RequestContext;
  readonly resultBytes: number;
  readonly turn: number;
}

/** Runs a model's call like a client's call. Any error becomes a text for the model. */
export async function makeCall(call: ModelCall, calling: Calling): Promise<MadeCall> {
  const { runtime, offers, turn, resultBytes, context } = calling;
  const offer = offers.find(({ name }) => name === call.name) ?? null;
  const start = performance.now();
  const known = {
    turn,
    offer,
    endpoint: offer?.endpoint ?? call.name,
    args: call.args,
    checked: offer && call.args ? checkedArguments(offer, call.args) : null,
  };
  const timeMs = () => Math.round((performance.now() - start) * 10) / 10;
  try {
    const outcome = await perform(call, offer, calling);
    const text = cutBytes(textOf(outcome), resultBytes);
    return { ...known, error: null, value: outcome.binary ? null : outcome.value, text, timeMs: timeMs() };
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (offer !== null && toPublicText(error) !== error.message) {
      const { parameters } = offer.entry;
      const credentials = callerCredentials(context());
      const redact = createTextRedactor({ args: call.args ?? {}, parameters, credentials });
      runtime.log({ level: 'warn', message: redact(`${known.endpoint} failed: ${error.message}`) });
    }
    return {
      ...known,
      error,
      value: null,
      text: cutBytes(toPublicText(error), resultBytes),
      timeMs: timeMs(),
    };
  }
}

function perform(
  call: ModelCall,
  offer: Offer | null,
  { runtime, offers, context }: Calling,
): Promise<Outcome> {
  if (offer === null) throw unknownTool(call.name, offers);
  if (call.args === null) {
    throw new SvcError('arguments_invalid', 'The arguments must be one JSON object.');
  }
  return callEndpoint({ runtime, entry: offer.entry, args: call.args, context: context() });
}

function unknownTool(name: string, offers: readonly Offer[]): SvcError {
  const near = nearestName(
    name,
    offers.map((offer) => offer.name),
  );
  const hint = near === null ? '' : ` Did you mean ${near}?`;
  return new SvcError('endpoint_unknown', `There is no tool ${JSON.stringify(name.slice(0, 64))}.${hint}`);
}

function checkedArguments({ entry }: Offer, args: JsonObject): JsonObject | null {
  try {
    return checkArguments(entry, args);
  } catch {
    return null;
  }
}

/** The result as MCP clients show it to their model: text, with a note about missing parts. */
function textOf({ text, value, binary, blocks, truncated }: Outcome): string {
  const media = binary ? `[${Math.floor((String(value).length * 3) / 4)} bytes of binary data]` : null;
  const said = blocks?.map((block) => ('text' in block ? block.text : `[${block.type}]`)).join('\n');
  const note = truncated === null ? '' : `\nTruncated (${truncated.reason}). ${truncated.hint}`;
  return `${media ?? said ?? text}${note}`;
}

/** Truncates a text to a number of bytes and states how much is missing. */
function cutBytes(text: string, most: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= most) return text;
  const shown = new TextDecoder().decode(bytes.subarray(0, most), { stream: true });
  return `${shown}\nTruncated (bytes). ${bytes.length - most} more bytes are not shown; ask for less.`;
}
