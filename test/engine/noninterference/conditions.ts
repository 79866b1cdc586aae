import fc from 'fast-check';
import type { User } from '../../../src/context.ts';

/** The user of a request; null for somebody who did not sign in. */
export type Person = User | null;

/** A value in a table. Dates and other types are written as SQL. */
export type Cell = number | string | boolean | null | { readonly [field: string]: Cell } | readonly Cell[];
export type Row = { readonly [column: string]: Cell };

/** As in SQL: null is neither true nor false. */
export type Truth = boolean | null;

/** A condition over the user: its CEL, and a second opinion on it that shares no code with the product. */
export interface UserCondition {
  readonly cel: string;
  /** Null if CEL cannot evaluate it. */
  readonly holds: (user: Person) => Truth;
}

/** A condition over the columns of a table and the user. */
export interface RowCondition {
  readonly cel: string;
  readonly columns: readonly string[];
  readonly sees: (row: Row, user: Person) => Truth;
}

export const REGIONS = ['EU', 'US', 'EUX', ''] as const;
const NUMBERS = [-1, 0, 1, 2, 5] as const;
export const ROLES = ['boss', 'clerk'] as const;

const roleOf = (user: Person) => (user === null ? 'anonymous' : user.role);
const groupsOf = (user: Person): readonly string[] => user?.groups ?? [];
const claimOf = (user: Person, name: string): Cell | undefined => user?.claims[name] as Cell | undefined;

const userLeaf: fc.Arbitrary<UserCondition> = fc.oneof(
  fc.constantFrom('true', 'false').map((cel) => ({ cel, holds: () => cel === 'true' })),
  fc.constantFrom(...ROLES, 'anonymous').map((role) => ({
    cel: `user.role == '${role}'`,
    holds: (user: Person) => roleOf(user) === role,
  })),
  fc.constantFrom('hr', 'EU', 'ops').map((group) => ({
    cel: `'${group}' in user.groups`,
    holds: (user: Person) => groupsOf(user).includes(group),
  })),
  fc.constantFrom('@acme.com', '@other.org').map((end) => ({
    cel: `user.email.endsWith('${end}')`,
    holds: (user: Person) => (user?.email == null ? null : user.email.endsWith(end)),
  })),
  fc.constantFrom(...NUMBERS).map((least) => ({
    cel: `user.claims.level >= ${least}`,
    holds: (user: Person) => {
      const level = claimOf(user, 'level');
      return typeof level === 'number' ? level >= least : null;
    },
  })),
);

/** Conditions over the user. CEL joins like SQL here: a false part makes `&&` false, even beside one that fails. */
export const userCondition: fc.Arbitrary<UserCondition> = fc.oneof(
  { weight: 4, arbitrary: userLeaf },
  {
    weight: 1,
    arbitrary: fc.tuple(userLeaf, userLeaf, fc.boolean()).map(([one, other, both]) => ({
      cel: `(${one.cel}) ${both ? '&&' : '||'} (${other.cel})`,
      holds: (user: Person) => (both ? and : or)(one.holds(user), other.holds(user)),
    })),
  },
  {
    weight: 1,
    arbitrary: userLeaf.map((one) => ({
      cel: `!(${one.cel})`,
      holds: (user: Person) => not(one.holds(user)),
    })),
  },
);

/** The columns that conditions on rows may read. */
export interface Columns {
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
}

type Value = string | number | null | undefined;

interface Operand {
  readonly cel: string;
  readonly of: (user: Person) => Value;
}

const COMPARISONS: {
  readonly [operator: string]: (one: string | number, other: string | number) => boolean;
} = {
  '==': (one, other) => one === other,
  '!=': (one, other) => one !== other,
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
};
const METHODS: { readonly [method: string]: (text: string, part: string) => boolean } = {
  startsWith: (text, part) => text.startsWith(part),
  endsWith: (text, part) => text.endsWith(part),
  contains: (text, part) => text.includes(part),
};

const textOperand: fc.Arbitrary<Operand> = fc.oneof(
  fc.constantFrom(...REGIONS).map((text) => ({ cel: `'${text}'`, of: () => text })),
  fc.constant({
    cel: 'user.claims.region',
    of: (user: Person) => claimOf(user, 'region') as Value,
  }),
  fc.constant({ cel: 'user.email', of: (user: Person) => user?.email }),
);
const numberOperand: fc.Arbitrary<Operand> = fc.oneof(
  fc.constantFrom(...NUMBERS).map((number) => ({ cel: String(number), of: () => number })),
  fc.constant({ cel: 'user.claims.level', of: (user: Person) => claimOf(user, 'level') as Value }),
);

/** Conditions over the columns of a table, in every form that the documentation allows. */
export function rowCondition({ texts, numbers }: Columns): fc.Arbitrary<RowCondition> {
  const text = fc.constantFrom(...texts);
  const number = fc.constantFrom(...numbers);
  const operator = fc.constantFrom(...Object.keys(COMPARISONS));
  const compared = (column: fc.Arbitrary<string>, operand: fc.Arbitrary<Operand>) =>
    fc.tuple(column, operator, operand, fc.boolean()).map(([name, sign, { cel, of }, turned]) => ({
      cel: turned ? `${cel} ${sign} ${name}` : `${name} ${sign} ${cel}`,
      columns: [name],
      sees: (row: Row, user: Person) => {
        const [cell, other] = [row[name], of(user)];
        if (!isPlain(cell) || !isPlain(other)) return null;
        return COMPARISONS[sign]?.(turned ? other : cell, turned ? cell : other) ?? null;
      },
    }));
  const leaf: fc.Arbitrary<RowCondition> = fc.oneof(
    compared(text, textOperand),
    compared(number, numberOperand),
    fc
      .tuple(text, fc.constantFrom(...Object.keys(METHODS)), textOperand)
      .map(([name, method, { cel, of }]) => ({
        cel: `${name}.${method}(${cel})`,
        columns: [name],
        sees: (row: Row, user: Person) => {
          const [cell, part] = [row[name], of(user)];
          return typeof cell === 'string' && typeof part === 'string'
            ? (METHODS[method]?.(cell, part) ?? null)
            : null;
        },
      })),
    fc.tuple(text, fc.subarray([...REGIONS])).map(([name, list]) => ({
      cel: `${name} in [${list.map((one) => `'${one}'`).join(', ')}]`,
      columns: [name],
      sees: (row: Row) => isIn(row[name], list),
    })),
    text.map((name) => ({
      cel: `${name} in user.groups`,
      columns: [name],
      sees: (row: Row, user: Person) => isIn(row[name], groupsOf(user)),
    })),
    fc.tuple(fc.oneof(text, number), fc.boolean()).map(([name, missing]) => ({
      cel: `${name} ${missing ? '==' : '!='} null`,
      columns: [name],
      sees: (row: Row) => ((row[name] ?? null) === null) === missing,
    })),
    userCondition.map(({ cel, holds }) => ({
      cel,
      columns: [],
      sees: (_: Row, user: Person) => holds(user),
    })),
  );
  const { condition } = fc.letrec<{ condition: RowCondition }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      { weight: 3, arbitrary: leaf },
      {
        weight: 2,
        arbitrary: fc.tuple(tie('condition'), tie('condition'), fc.boolean()).map(([one, other, both]) => ({
          cel: `(${one.cel}) ${both ? '&&' : '||'} (${other.cel})`,
          columns: [...one.columns, ...other.columns],
          sees: (row: Row, user: Person) => (both ? and : or)(one.sees(row, user), other.sees(row, user)),
        })),
      },
      {
        weight: 1,
        arbitrary: tie('condition').map((one) => ({
          cel: `!(${one.cel})`,
          columns: one.columns,
          sees: (row: Row, user: Person) => not(one.sees(row, user)),
        })),
      },
    ),
  }));
  return condition;
}

function isPlain(value: Cell | undefined): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** A row is not outside of a list if its value is absent, unless the list is empty. */
function isIn(cell: Cell | undefined, list: readonly string[]): Truth {
  if (list.length === 0) return false;
  return typeof cell === 'string' ? list.includes(cell) : null;
}

export function not(one: Truth): Truth {
  return one === null ? null : !one;
}

export function and(one: Truth, other: Truth): Truth {
  if (one === false || other === false) return false;
  return one === null || other === null ? null : true;
}

export function or(one: Truth, other: Truth): Truth {
  return not(and(not(one), not(other)));
}

/** Users with all kinds of claims, and null for an anonymous caller. */
export const person: fc.Arbitrary<{ readonly user: Person; readonly scopes: readonly string[] }> = fc.record({
  user: fc.option(
    fc
      .record({
        email: fc.constantFrom('ada@acme.com', 'bob@other.org', null),
        role: fc.constantFrom(...ROLES, null),
        groups: fc.subarray(['hr', 'EU', 'ops']),
        claims: fc.record(
          { region: fc.constantFrom(...REGIONS), level: fc.constantFrom(...NUMBERS) },
          { requiredKeys: [] },
        ),
      })
      .map(
        ({ email, role, groups, claims }): User => ({
          id: `id-of-${email}`,
          username: email,
          email,
          name: null,
          provider: 'acme',
          role,
          permissions: [],
          groups,
          capabilities: [],
          claims: { ...claims },
          externalToken: null,
        }),
      ),
    { freq: 5 },
  ),
  scopes: fc.subarray(['read', 'admin']),
});
