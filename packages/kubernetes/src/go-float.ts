/** The shortest decimal digits and exponent (`0.d1d2… × 10^point`) that parse back to `value` at the width. */
function shortestDigits(value: number, bits: 32 | 64): { readonly digits: string; readonly point: number } {
  let text = Math.abs(value).toExponential();
  if (bits === 32) {
    const single = Math.fround(Math.abs(value));
    for (let precision = 1; precision <= 9; precision++) {
      text = single.toExponential(precision - 1);
      if (Math.fround(Number(text)) === single) break;
    }
  }
  const [mantissa = "0", exponent = "0"] = text.split("e");
  const digits = mantissa.replace(".", "").replace(/0+$/, "");
  return { digits: digits === "" ? "0" : digits, point: Number(exponent) + 1 };
}

/** Go's `strconv.FormatFloat(value, 'g', -1, bits)`. */
export function goFloat(value: number, bits: 32 | 64): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (value === 0) return `${sign}0`;
  const { digits, point } = shortestDigits(value, bits);
  const exponent = point - 1;
  // Go uses a precision of 6 for this decision when formatting the shortest form.
  if (exponent < -4 || exponent >= 6) return sign + scientific(digits, exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (digits.length <= point) return sign + digits + "0".repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Go's `fmt.Sprint` of a number decoded from JSON: plain digits while they are short enough, otherwise an exponent. */
export function goNumberText(value: number): string {
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-4 || size >= 1e21) ? goFloat(value, 64) : String(value);
}

function scientific(digits: string, exponent: number): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${digits.charAt(0)}${fraction}e${exponent < 0 ? "-" : "+"}${size}`;
}
