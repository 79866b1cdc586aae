import type { JsonObject, JsonValue } from '../../json.ts';
import { textOf } from './field.ts';
import type { UpstreamTokens } from './provider.ts';

/** A token response; `keep` names other fields of it that are needed later. */
export function toTokens(fields: JsonObject, now: number, keep: readonly string[] = []): UpstreamTokens {
  const life = toSeconds(fields.expires_in);
  return {
    accessToken: textOf(fields, 'access_token') ?? '',
    refreshToken: textOf(fields, 'refresh_token'),
    idToken: textOf(fields, 'id_token'),
    expiresAt: life === null ? null : Math.floor(now / 1000) + life,
    scopes: toScopes(fields.scope),
    extra: Object.fromEntries(keep.flatMap((key) => (key in fields ? [[key, fields[key] ?? null]] : []))),
  };
}

/** Some servers write the number as text, some leave it out. */
function toSeconds(value: JsonValue | undefined): number | null {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? Math.floor(seconds) : null;
}

/** GitHub separates scopes by commas. */
function toScopes(value: JsonValue | undefined): readonly string[] | null {
  if (typeof value !== 'string') return null;
  return value.split(/[\s,]+/).filter((scope) => scope !== '');
}
