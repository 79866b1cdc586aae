import {
  type CelFunc,
  CelScalar,
  type CelValue,
  celEnv,
  celFunc,
  isCelError,
  isCelUint,
} from '@bufbuild/cel';

const EQUALITY = ['_==_', '_!=_', '@in'];

/**
 * CEL's equality, for which a whole number beyond 2^53 equals the text of its digits: results and undeclared arguments hold
 * such numbers as texts, so a rule on one would miss it. `functions` replace the library's.
 */
export function equalityOfDigits(functions: readonly CelFunc[]): readonly CelFunc[] {
  return [...celEnv({ funcs: [...functions] }).funcs]
    .filter(({ name }) => EQUALITY.includes(name))
    .map((func) => {
      // Both forms differ from a value that is `!=`; one of them equals a value that is `==`.
      const open = func.name === '_!=_';
      return celFunc(func.name, func.arguments, CelScalar.BOOL, (left: CelValue, right: CelValue) => {
        const outcome = evaluate(func, left, right);
        const other = otherFormOf(left);
        return other === undefined || outcome !== open ? outcome : evaluate(func, other, right);
      });
    });
}

/** Throws the error of a comparison, such as that of a claim that no condition can read. */
function evaluate(func: CelFunc, left: CelValue, right: CelValue): boolean {
  const outcome = func.call(0, undefined, [left, right]);
  if (isCelError(outcome)) throw outcome;
  return outcome === true;
}

/** The digits of a whole number beyond 2^53, or the number of such digits; undefined for any other value. */
export function otherFormOf(value: unknown): string | bigint | undefined {
  if (typeof value === 'string') return isLongNumber(value) ? BigInt(value) : undefined;
  const number = isCelUint(value) ? value.value : value;
  const whole = typeof number === 'number' && Number.isInteger(number) ? BigInt(number) : number;
  return typeof whole === 'bigint' && isLongNumber(`${whole}`) ? `${whole}` : undefined;
}

function isLongNumber(digits: string): boolean {
  return /^-?[1-9]\d{15,39}$/.test(digits) && !Number.isSafeInteger(Number(digits));
}
