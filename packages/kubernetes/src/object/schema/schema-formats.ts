import { compilePattern } from "../../cel/pattern.ts";
import { isDate, isDateTime } from "../../cel/functions/date-text.ts";
import { parseIp, parseCidr } from "../../cel/functions/ip-address.ts";

/** A check of one string format; only formats that kube-apiserver recognises, all others are ignored. */
type FormatCheck = (text: string) => boolean;

function matcher(pattern: string): FormatCheck {
  // Compiled on first use: all of them would add 50 ms to every start.
  return (text) => {
    const compiled = compilePattern(pattern);
    return compiled.ok && compiled.value.test(text);
  };
}

const hostname = matcher(
  "^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$",
);
const creditCard = matcher(
  "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\\d{3})\\d{11})$",
);
const base64 = matcher("^(?:[A-Za-z0-9+\\/]{4})*(?:[A-Za-z0-9+\\/]{2}==|[A-Za-z0-9+\\/]{3}=|[A-Za-z0-9+\\/]{4})$");
const octet = "([01]?[0-9]?[0-9]|2[0-4][0-9]|25[0-5])";

const formats: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ["bsonobjectid", matcher("^[0-9a-fA-F]{24}$")],
  ["uri", isRequestUri],
  ["email", isEmail],
  ["hostname", (text) => hostname(text) && text.length <= 255 && text.split(".").every((part) => part.length <= 63)],
  ["ipv4", (text) => parseIp(text, "sloppy") !== undefined && text.includes(".")],
  ["ipv6", (text) => parseIp(text, "sloppy") !== undefined && text.includes(":")],
  ["cidr", (text) => parseCidr(text, "sloppy") !== undefined],
  [
    "mac",
    matcher("^([0-9a-fA-F]{2}([:-])([0-9a-fA-F]{2}[:-]){4,}[0-9a-fA-F]{2}|([0-9a-fA-F]{4}\\.){2,}[0-9a-fA-F]{4})$"),
  ],
  ["uuid", matcher("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$")],
  ["uuid3", matcher("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$")],
  ["uuid4", matcher("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$")],
  ["uuid5", matcher("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$")],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", (text) => isCreditCard(text)],
  ["ssn", matcher("^\\d{3}[- ]?\\d{2}[- ]?\\d{4}$")],
  ["hexcolor", matcher("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$")],
  ["rgbcolor", matcher(`^rgb\\(\\s*${octet}\\s*,\\s*${octet}\\s*,\\s*${octet}\\s*\\)$`)],
  ["byte", base64],
  ["password", () => true],
  ["date", isDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["k8sshortname", (text) => text.length <= 63 && shortName(text)],
  ["k8slongname", (text) => text.length <= 253 && longName(text)],
]);

const shortName = matcher("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$");
const longName = matcher("^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$");

/** Whether a string has the format; undefined for formats that are not checked on strings. */
export function hasFormat(format: string, text: string): boolean | undefined {
  return formats.get(formatName(format))?.(text);
}

/** Dashes are ignored: `date-time` and `datetime` are one format. */
function formatName(format: string): string {
  return format.replaceAll("-", "");
}

/** Whether the format is checked for values of this type. */
export function isKnownFormat(type: string, format: string): boolean {
  switch (type) {
    case "":
    case "string":
      return formats.has(formatName(format));
    case "integer":
      return format === "int32" || format === "int64";
    case "number":
      return format === "float" || format === "double";
    default:
      return false;
  }
}

function isRequestUri(text: string): boolean {
  if (text === "" || /[\p{Cc} ]/u.test(text)) return false;
  if (!text.startsWith("/") && !/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text)) return false;
  return !/%(?![0-9a-fA-F]{2})/.test(text.split("#")[0] ?? "");
}

function isEmail(text: string): boolean {
  const address = /^[^<>]*<([^<>]+)>\s*$/.exec(text)?.[1] ?? text.trim();
  return /^(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uffff-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uffff-]+)*|"(?:[^"\\]|\\.)+")@(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uffff-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uffff-]+)*|\[[^\]]+\])$/.test(
    address,
  );
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, "");
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of Array.from(digits).entries()) sum += (index + 1) * (digit === "X" ? 10 : Number(digit));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, "");
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of Array.from(digits).entries()) sum += Number(digit) * (index % 2 === 0 ? 1 : 3);
  return sum % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D+/g, "");
  if (!creditCard(digits)) return false;
  let sum = 0;
  for (const [index, digit] of Array.from(digits).toReversed().entries()) {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

const units = [
  "w",
  "wk",
  "week",
  "weeks",
  "d",
  "day",
  "days",
  "h",
  "hr",
  "hour",
  "hours",
  "min",
  "minute",
  "minutes",
  "s",
  "sec",
  "second",
  "seconds",
  "ms",
  "milli",
  "millis",
  "millisecond",
  "milliseconds",
  "us",
  "µs",
  "micro",
  "micros",
  "microsecond",
  "microseconds",
  "ns",
  "nano",
  "nanos",
  "nanosecond",
  "nanoseconds",
];
const lastUnits = ["weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"];

/** A Go duration, or counts with long unit names (`3 days`). */
function isDuration(text: string): boolean {
  if (/^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true;
  for (const found of text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/g)) {
    const unit = (found[2] ?? "").toLowerCase();
    if (units.includes(unit) || lastUnits.some((last) => unit.startsWith(last))) return true;
  }
  return false;
}
