const letter = /^\p{L}$/u;
const digit = /^\p{Nd}$/u;

/** The keys in the order of {@link compareNatural}; sorts the given array. */
export function naturalOrder(keys: string[]): readonly string[] {
  for (let index = 1; index < keys.length; index++)
    if (compareNatural(keys[index - 1] ?? "", keys[index] ?? "") > 0) return keys.sort(compareNatural);
  return keys;
}

/** Key order of Go's YAML encoder: runs of digits by value, other characters before letters. */
export function compareNatural(left: string, right: string): number {
  return compareAscii(left, right) ?? compareLetters(left, right);
}

/** As {@link compareLetters} where the texts differ first in letters of ASCII, or one begins with the other; else undefined. */
function compareAscii(left: string, right: string): number | undefined {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a === b) continue;
    return isAsciiLetter(a) && isAsciiLetter(b) ? a - b : undefined;
  }
  return left.length - right.length;
}

function isAsciiLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

function compareLetters(left: string, right: string): number {
  const a = lettersOf(left);
  const b = lettersOf(right);
  for (let index = 0; index < a.length && index < b.length; index++) {
    const x = a[index] ?? "";
    const y = b[index] ?? "";
    if (x === y) continue;
    const xIsLetter = letter.test(x);
    const yIsLetter = letter.test(y);
    if (xIsLetter !== yIsLetter) return yIsLetter ? -1 : 1;
    return (xIsLetter ? 0 : compareNumbers(a, b, index)) || codeOf(x) - codeOf(y);
  }
  return a.length - b.length;
}

const surrogate = /[\ud800-\udfff]/;

/** The characters by index; the text itself where each is one unit. */
function lettersOf(text: string): ArrayLike<string> {
  return surrogate.test(text) ? Array.from(text) : text;
}

/** So many digits behind a 0 or 1 are exact in a double, whatever script they are of: a code is below 2^21. */
const exactDigits = 8;

/** Zero when the numbers at `index` (with preceding digits) and their lengths are equal. */
function compareNumbers(a: ArrayLike<string>, b: ArrayLike<string>, index: number): number {
  let start = 0n;
  if (a[index] === "0" || b[index] === "0") {
    for (let back = index - 1; back >= 0 && digit.test(a[back] ?? ""); back--) {
      if (a[back] === "0") continue;
      start = 1n;
      break;
    }
  }
  const left = numberAt(a, index, start);
  const right = numberAt(b, index, start);
  if (left.value !== right.value) return left.value < right.value ? -1 : 1;
  return left.end - right.end;
}

function numberAt(
  letters: ArrayLike<string>,
  index: number,
  start: bigint,
): { readonly value: bigint; readonly end: number } {
  let end = index;
  let short = Number(start);
  for (; end < index + exactDigits && end < letters.length && digit.test(letters[end] ?? ""); end++)
    short = short * 10 + codeOf(letters[end] ?? "0") - 48;
  let value = BigInt(short);
  for (; end < letters.length && digit.test(letters[end] ?? ""); end++)
    value = BigInt.asIntN(64, value * 10n + BigInt(codeOf(letters[end] ?? "0") - 48));
  return { value, end };
}

function codeOf(text: string): number {
  return text.codePointAt(0) ?? 0;
}
