import type { AnyEntry } from '../catalog/model.ts';
import type { Elicitation, ElicitationReply, ElicitationRequest, RequestContext } from '../context.ts';
import { causesOf, SvcError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import {
  answerParameters,
  answersOf,
  CONFIRM_KEY,
  type Field,
  type Question,
  type QuestionRounds,
} from '../project/elicitation-model.ts';
import { createHiddenTexts } from '../redaction/hidden-texts.ts';
import { concealedTexts } from '../redaction/redact.ts';
import { formatOf } from '../types/formats.ts';
import { hasDefault, type Parameter } from '../types/node.ts';
import { toJsonSchema } from '../types/schema.ts';
import { createArgumentsParser } from '../types/validate.ts';
import { toLines } from './arguments.ts';
import type { Runtime } from './runtime.ts';

/** A call that may elicit input. */
export interface Asker {
  readonly runtime: Runtime;
  readonly entry: AnyEntry;
  readonly context: RequestContext;
  /** The answers that came with the call. */
  readonly given: JsonObject;
}

/**
 * Asks every question of an endpoint and returns the arguments with the answers. Throws denied if a person
 * declines.
 */
export async function elicit(call: Asker, values: JsonObject): Promise<JsonObject> {
  const { entry, context, given } = call;
  const asker: Asker =
    context.transport === 'cli' ? { ...call, context: { ...context, elicitation: fromGiven(given) } } : call;
  let known = values;
  for (const round of entry.ask ?? []) known = { ...known, ...(await askRound(asker, round, known)) };
  if (entry.confirm !== undefined) await askToConfirm(asker, known);
  return known;
}

/** Selects the answers from the values of a call. */
export function answersIn(values: JsonObject, rounds: QuestionRounds): JsonObject {
  return Object.fromEntries(answerParameters(rounds).map(({ name }) => [name, values[name] ?? null]));
}

/** Removes sensitive answers from an error and its causes. Arguments are removed where errors are logged. */
export function withoutAnswers(error: SvcError, rounds: QuestionRounds, answers: JsonObject): SvcError {
  const hidden = concealedTexts({ args: answers, parameters: answerParameters(rounds), credentials: [] });
  const known = [error.message, ...causesOf(error)];
  const { remove } = createHiddenTexts(hidden);
  const bare = known.map((text) => remove(text));
  if (bare.every((text, index) => text === known[index])) return error;
  const [message = '', ...causes] = bare;
  const { code, detail } = error;
  const cause = causes.length === 0 ? {} : { cause: new Error(causes.join('\n')) };
  return new SvcError(code, message, { ...cause, ...(detail === undefined ? {} : { detail }) });
}

/** Splits the arguments of a command into arguments and answers. Clients send answers only when asked. */
export function splitAnswers(entry: AnyEntry, given: JsonObject, { transport }: RequestContext) {
  if (entry.ask === undefined || transport !== 'cli') return { args: given, answers: {} };
  const names = new Set(entry.ask.flat().flatMap((question) => answersOf(question).map(nameOf)));
  const [answers = {}, args = {}] = [true, false].map(
    (isAnswer): JsonObject =>
      Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name) === isAnswer)),
  );
  return { args, answers };
}

function fromGiven(values: JsonObject): Elicitation {
  return {
    can: () => true,
    ask: async (inquiries) => new Map(inquiries.map(({ key }) => [key, { values }])),
  };
}

function nameOf({ name }: Parameter): string {
  return name;
}

async function askRound(asker: Asker, round: readonly Question[], known: JsonObject): Promise<JsonObject> {
  const { context } = asker;
  const due: Question[] = [];
  for (const question of round) if (await isDue(asker, question, known)) due.push(question);
  const asked = due.filter(({ kind, otherwise }) => context.elicitation?.can(kind) || otherwise === 'deny');
  const inquiries = await Promise.all(asked.map((question) => toInquiry(question, known)));
  const replies = inquiries.length === 0 ? new Map() : await ask(asker, inquiries);
  const answers = round.map((question) =>
    asked.includes(question) ? checkReply(asker, question, replies.get(question.name)) : unasked(question),
  );
  return Object.assign({}, ...answers);
}

/** A condition that fails counts as true: one question too many does no harm. */
async function isDue({ runtime, entry, context }: Asker, { when }: Question, values: JsonObject) {
  if (when === undefined) return true;
  const { holds } = await import('../policy/when.ts');
  const parameters = [...entry.parameters, ...(entry.ask ?? []).flat().flatMap(answersOf)];
  return holds(when, { parameters, values, user: context.user, now: () => runtime.clock.now() }) ?? true;
}

async function toInquiry(question: Question, values: JsonObject): Promise<ElicitationRequest> {
  const { kind, name: key } = question;
  if (kind === 'roots') return { kind, key };
  const message = await render(question.message, values);
  if (kind === 'sampling') return { kind, key, message, maxTokens: question.maxTokens };
  return { kind, key, message, schema: toFormSchema(question.fields), binding: false };
}

/** The first call that renders a template loads the template engine. */
async function render(template: string, values: JsonObject): Promise<string> {
  const { renderText } = await import('../template/render.ts');
  return renderText(template, values);
}

const CAPABILITIES = { form: 'elicitation', sampling: 'sampling', roots: 'roots' } as const;

async function ask({ entry, context }: Asker, inquiries: readonly ElicitationRequest[]) {
  const { elicitation } = context;
  const missing = inquiries
    .filter(({ kind }) => !elicitation?.can(kind))
    .map(({ kind }) => CAPABILITIES[kind]);
  if (elicitation !== undefined && missing.length === 0) return elicitation.ask(inquiries);
  throw new SvcError(
    'capability_missing',
    `${entry.name} asks something before it runs, and this client cannot answer: it needs ${[...new Set(missing)].join(' and ')}. Nothing was done.`,
    { detail: { requiredCapabilities: Object.fromEntries(missing.map((name) => [name, {}])) } },
  );
}

/** Checks a person's answers like arguments. */
function checkReply({ entry }: Asker, question: Question, reply: ElicitationReply | undefined): JsonObject {
  if (!reply) throw declined(entry.name);
  const values = known(question, reply.values);
  if (question.otherwise === 'skip' && Object.keys(values).length === 0) return unasked(question);
  const parsed = createArgumentsParser(answersOf(question))(values);
  if (parsed.ok) return parsed.values;
  throw new SvcError(
    'arguments_invalid',
    `The answer to ${question.name} is not valid:\n${toLines(parsed.issues)}`,
  );
}

function known(question: Question, values: JsonObject): JsonObject {
  const names = answersOf(question).map(nameOf);
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

function unasked(question: Question): JsonObject {
  const values = answersOf(question).map((field): [string, JsonValue] => [field.name, field.default ?? null]);
  return Object.fromEntries(values);
}

function declined(name: string): SvcError {
  return new SvcError('denied', `${name} did not run: the person who was asked declined. Nothing was done.`);
}

const AGREEMENT = {
  type: 'object',
  properties: {
    ok: { type: 'boolean', title: 'Go ahead', description: 'Whether to go ahead', default: false },
  },
  required: ['ok'],
};

/**
 * Asks for confirmation last, so that its text can name earlier answers. A command on the terminal counts as
 * confirmed.
 */
async function askToConfirm(asker: Asker, values: JsonObject): Promise<void> {
  const { entry, context } = asker;
  if (entry.confirm === undefined || context.transport === 'cli') return;
  const { question, otherwise } = entry.confirm;
  if (otherwise === 'allow' && !context.elicitation?.can('form')) return;
  const message = await render(question, values);
  const inquiry = { kind: 'form', key: CONFIRM_KEY, message, schema: AGREEMENT, binding: true } as const;
  const reply = (await ask(asker, [inquiry])).get(CONFIRM_KEY);
  if (reply?.values.ok !== true) throw declined(entry.name);
}

/**
 * Turns fields into the restricted JSON Schema of a form: one level, and only keywords that every client can show.
 */
export function toFormSchema(fields: readonly Field[]): JsonObject {
  const properties = fields.map((field) => [field.name, toProperty(field)] as const);
  const required = fields.filter((field) => !hasDefault(field)).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

function toProperty(field: Field): JsonObject {
  const { type, items, enum: allowed, titles, enumNames, format } = field;
  const { default: given, ...schema } = toJsonSchema(field, 'input');
  const shared = {
    type,
    ...pick(schema, ['title', 'description']),
    ...(given === undefined || given === null ? {} : { default: given }),
  };
  if (type === 'array') {
    return {
      ...shared,
      ...pick(schema, ['minItems', 'maxItems']),
      items: toItems(items?.enum ?? [], titles),
    };
  }
  if (allowed !== undefined && type === 'string') {
    const names = enumNames ? { enumNames } : {};
    return titles ? { ...shared, oneOf: titled(allowed, titles) } : { ...shared, enum: allowed, ...names };
  }
  const known = format !== undefined && formatOf(format).inForms ? pick(schema, ['format']) : {};
  return { ...shared, ...pick(schema, ['minLength', 'maxLength', 'minimum', 'maximum']), ...known };
}

function toItems(allowed: NonNullable<Field['enum']>, titles: Field['titles']): JsonObject {
  return titles ? { anyOf: titled(allowed, titles) } : { type: 'string', enum: allowed };
}

function titled(allowed: NonNullable<Field['enum']>, titles: readonly string[]): readonly JsonObject[] {
  return allowed.map((value, index) => ({ const: value, title: titles[index] ?? String(value) }));
}

function pick(schema: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]])));
}
