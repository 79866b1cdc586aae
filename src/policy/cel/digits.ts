import {
  type CelFunc,
  CelScalar,
  type CelValue,
  celEnv,
  celFunc,
  celList,
  celMap,
  isCelError,
  isCelList,
  isCelMap,
} from '@bufbuild/cel';

const EQUALITY = ['_==_', '_!=_', '@in'];

/**
 * CEL's equality, for which a whole number beyond 2^53 equals the text of its digits: results and undeclared arguments hold
 * such numbers as texts, so a rule on one would miss it. `functions` replace the library's.
 */
export function equalityOfDigits(functions: readonly CelFunc[]): readonly CelFunc[] {
  const equality = [...celEnv({ funcs: [...functions] }).funcs].filter(({ name }) => EQUALITY.includes(name));
  return equality.map((func) => {
    // A number in a map is asked by another function than its digits.
    const forNumbers = equality.filter(({ name }) => name === func.name);
    // Values that differ as they are may be equal as numbers.
    const differ = func.name === '_!=_';
    return celFunc(func.name, func.arguments, CelScalar.BOOL, (left: CelValue, right: CelValue) => {
      const outcome = evaluate([func], left, right);
      if (outcome !== differ) return outcome;
      const [one, other] = [withNumbers(left), withNumbers(right)];
      return one === undefined && other === undefined
        ? outcome
        : evaluate(forNumbers, one ?? left, other ?? right);
    });
  });
}

/** Asks the function for these types. Throws the error of a comparison, such as that of a claim that no condition can read. */
function evaluate(functions: readonly CelFunc[], left: CelValue, right: CelValue): boolean {
  const outcomes = functions.map((func) => func.call(0, undefined, [left, right]));
  const outcome = outcomes.find((one) => one !== undefined);
  if (isCelError(outcome)) throw outcome;
  return outcome === true;
}

/** The value with whole numbers beyond 2^53 in place of their digits, at any depth; undefined without such, except maps. */
function withNumbers(value: CelValue): CelValue | undefined {
  if (isCelList(value)) {
    const items = [...value];
    const numbers = items.map(withNumbers);
    if (numbers.every((number) => number === undefined)) return undefined;
    return celList(items.map((item, index) => numbers[index] ?? item));
  }
  if (!isCelMap(value)) return longNumberOf(value);
  const entries = [...value].map(
    ([key, item]) => [longNumberOf(key) ?? key, withNumbers(item) ?? item] as const,
  );
  return celMap(new Map(entries));
}

function longNumberOf(value: CelValue): bigint | undefined {
  return typeof value === 'string' && isLongNumber(value) ? BigInt(value) : undefined;
}

/** Whether a text has the digits of a whole number beyond 2^53. */
export function isLongNumber(text: string): boolean {
  return /^-?[1-9]\d{15,39}$/.test(text) && !Number.isSafeInteger(Number(text));
}
